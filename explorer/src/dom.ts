/* Small helpers around the document. Every text reaches it as a text node, never as markup. */

type Value = string | number | boolean | undefined | null;

export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Record<string, Value> = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  setAll(made, attributes);
  made.append(...children);
  return made;
}

export function setAll(target: Element, attributes: Record<string, Value>): void {
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) target.removeAttribute(key);
    else target.setAttribute(key, value === true ? "" : String(value));
  }
}

export function button(text: string, attributes: Record<string, Value>, pressed: () => void): HTMLButtonElement {
  const made = element("button", { type: "button", ...attributes }, text);
  made.addEventListener("click", pressed);
  return made;
}

/* bdi: a token written from right to left must not pull the number after it to its other side. */
export const isolated = (token: string): HTMLElement => element("bdi", {}, token);

export const strong = (token: string): HTMLElement => element("b", {}, isolated(token));

export const number = (value: number, digits = 3): string => {
  const text = value.toFixed(digits);
  return Number(text) === 0 ? text.replace("-", "") : text.replace("-", "−");
};

export const clamp = (value: number, low: number, high: number): number => Math.min(Math.max(value, low), high);

/* A label has room for 24 characters; the readout and the table give the whole token. */
export function label(token: string): string {
  const characters = Array.from(token);
  return characters.length > 24 ? `${characters.slice(0, 23).join("")}…` : token;
}

let ruler: CanvasRenderingContext2D | null = null;
export function widths(tokens: readonly string[], size: number, family: string): number[] {
  ruler ??= document.createElement("canvas").getContext("2d")!;
  ruler.font = `${size}px ${family}`;
  return tokens.map((token) => ruler!.measureText(token).width);
}
