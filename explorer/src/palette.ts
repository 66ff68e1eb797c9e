/* The page's colours as numbers, for what is drawn on a canvas. They are said once, in base.css. */

export type Rgb = readonly [number, number, number];

export interface Palette {
  paper: Rgb;
  raised: Rgb;
  ink: Rgb;
  quiet: Rgb;
  hair: Rgb;
  accent: Rgb;
  warm: Rgb;
  weight: Rgb;
}

const NAMES = ["paper", "raised", "ink", "quiet", "hair", "accent", "warm", "weight"] as const;

export function paletteOf(): Palette {
  const probe = document.createElement("span");
  document.body.append(probe);
  const found = {} as Record<(typeof NAMES)[number], Rgb>;
  for (const name of NAMES) {
    probe.style.color = `var(--${name})`;
    const parts = getComputedStyle(probe).color.match(/[\d.]+/g)!.map(Number);
    found[name] = [parts[0]!, parts[1]!, parts[2]!];
  }
  probe.remove();
  return found;
}

/* thousands of lines are drawn with the same few colours */
const written = new WeakMap<Rgb, string>();
export function css(rgb: Rgb): string {
  let text = written.get(rgb);
  if (text === undefined) written.set(rgb, (text = `rgb(${rgb.join(", ")})`));
  return text;
}

/* Calls back when light turns to dark, by the system or by a switch on the page. */
export function onTheme(changed: () => void): void {
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", changed);
  new MutationObserver(changed).observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
}
