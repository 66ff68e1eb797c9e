/* The calculator: one query by hand, from q and k to the context, with the numbers that the model used. */
import type { Calculation } from "./api";
import { element, isolated, number, strong } from "./dom";
import type { Palette } from "./palette";
import { strip } from "./strip";

const WRITTEN = 6; /* products that are written out before the rest is folded away */
const STEEP = 8; /* from here on e to the score is no number to read: the largest is taken off first */

const most = (rows: readonly (readonly number[])[]): number => rows.reduce((one, row) => row.reduce((two, x) => Math.max(two, Math.abs(x)), one), 0);
/* ^{…} is written above the line */
const maths = (text: string): HTMLElement =>
  element("span", { class: "maths" }, ...text.split(/\^\{([^}]*)\}/).map((part, place) => (place % 2 ? element("sup", {}, part) : part)));
/* one that stands behind a sign needs brackets when it has a sign of its own */
const factor = (value: number): string => (number(value, 2).startsWith("−") ? `(${number(value, 2)})` : number(value, 2));
const vector = (numbers: readonly number[]): string => `(${numbers.map((x) => number(x, 2)).join(", ")})`;

export class Calculator {
  readonly element = element("div", { class: "calculator" });
  private picked: number | null = null; /* what somebody chose; otherwise the key that is looked at most */
  private shown: Calculation | null = null;

  show(calculation: Calculation, palette: Palette): void {
    const same = this.shown?.layer === calculation.layer && this.shown.keys.length === calculation.keys.length;
    if (!same) this.picked = null;
    this.shown = calculation;
    this.draw(calculation, palette);
  }

  private draw(one: Calculation, palette: Palette): void {
    const exponents = exponentsOf(one);
    const used = one.weights ?? one.softmax;
    const picked = this.picked ?? used.indexOf(Math.max(...used));
    const edited = used.some((weight, key) => Math.abs(weight - one.softmax[key]!) > 1e-4);
    const [mostK, mostV] = [most([one.q, ...one.k]), most(one.v)];
    const dot = one.score === "dot";
    const scaled = one.scale !== null && one.scale !== 1;
    const heads = [
      ["key", ""],
      ["k", ""],
      [dot ? "q · k" : "score", dot ? "how well they fit" : "wᵀ tanh(q + k)"],
      ...(scaled ? [[`× ${number(one.scale!)}`, `1 / √${one.q.length}`]] : []),
      [exponents.taken ? "e^{s − max}" : "e^{s}", exponents.taken ? `max = ${number(exponents.taken, 2)}` : ""],
      ["weight", "its share of the sum"],
      ...(edited ? [["used", "after the change"]] : []),
      ["v", ""],
      ["weight · v", ""],
    ];
    const head = element("tr", {}, ...heads.map(([name, note]) => element("th", { scope: "col" }, maths(name!), ...(note ? [element("small", {}, note)] : []))));
    const rows = one.keys.map((token, key) => {
      const pick = element("button", { type: "button", class: "link", "aria-pressed": String(key === picked), title: "Compute this row by hand" }, isolated(token));
      const numbers = (value: number | null, digits = 2): HTMLElement => element("td", { class: "number" }, value === null ? "–" : number(value, digits));
      const seen = one.allowed[key] ?? true;
      const row = element(
        "tr",
        { class: `${key === picked ? "picked" : ""}${seen ? "" : " masked"}` },
        element("th", { scope: "row" }, pick),
        element("td", {}, strip(one.k[key]!, mostK, palette, "k")),
        numbers(one.raw[key]!),
        ...(scaled ? [numbers(one.scaled[key]!)] : []),
        numbers(seen ? exponents.each[key]! : null, exponents.taken ? 3 : 2),
        bar(one.softmax[key]!),
        ...(edited ? [bar(used[key]!)] : []),
        element("td", {}, strip(one.v[key]!, mostV, palette, "v")),
        element("td", {}, strip(one.weighted[key]!, mostV, palette, "weight · v")),
      );
      row.addEventListener("click", () => {
        this.picked = key;
        this.draw(one, palette);
      });
      return row;
    });
    const foot = element(
      "tr",
      {},
      element("th", { scope: "row" }, "sum"),
      ...Array.from({ length: scaled ? 3 : 2 }, () => element("td")),
      element("td", { class: "number" }, number(exponents.sum, 2)),
      element("td", { class: "number" }, number(one.softmax.reduce((sum, x) => sum + x, 0), 2)),
      ...(edited ? [element("td", { class: "number" }, number(used.reduce((sum, x) => sum + x, 0), 2))] : []),
      element("td", { class: "label" }, "context ="),
      element("td", {}, strip(one.context, most([one.context]), palette, "context")),
    );
    const focused = this.element.contains(document.activeElement);
    this.element.replaceChildren(
      element(
        "p",
        { class: "formula" },
        maths(dot ? `context = Σ softmax(q · k${scaled ? " / √d" : ""}) v` : "context = Σ softmax(wᵀ tanh(q + k)) v"),
        element("span", { class: "quiet" }, ` with q of `, strong(one.query_token), `, ${one.q.length} numbers wide`),
      ),
      element("p", { class: "query" }, maths("q ="), strip(one.q, mostK, palette, "q")),
      element("div", { class: "scroll" }, element("table", {}, element("thead", {}, head), element("tbody", {}, ...rows), element("tfoot", {}, foot))),
      byHand(one, picked, exponents),
    );
    if (focused) this.element.querySelector<HTMLElement>("tr.picked button")?.focus();
  }
}

export interface Exponents {
  each: number[];
  sum: number;
  taken: number;
}

/* e to each score that may be seen; where scores are large the largest is taken off first, which changes no weight. */
export function exponentsOf(one: Calculation): Exponents {
  const seen = one.scaled.filter((_, key) => one.allowed[key] ?? true);
  const largest = Math.max(...seen) > STEEP ? Math.max(...seen) : 0;
  const each = one.scaled.map((score, key) => ((one.allowed[key] ?? true) ? Math.exp(score - largest) : 0));
  return { each, sum: each.reduce((sum, x) => sum + x, 0), taken: largest };
}

function bar(weight: number): HTMLElement {
  const filled = element("span", { class: "fill" });
  filled.style.width = `${Math.min(1, weight) * 100}%`;
  return element("td", { class: "weight" }, element("span", { class: "bar" }, filled), element("span", { class: "number" }, number(weight)));
}

/* One key from beginning to end, as on a blackboard. */
function byHand(one: Calculation, key: number, exponents: Exponents): HTMLElement {
  const used = (one.weights ?? one.softmax)[key]!;
  const k = one.k[key]!;
  const dot = one.score === "dot";
  const term = (place: number): string => {
    const q = number(one.q[place]!, 2);
    if (dot) return `${q} · ${factor(k[place]!)}`;
    return `${one.combine ? `${number(one.combine[place]!, 2)} · ` : ""}tanh(${q} + ${number(k[place]!, 2)})`.replace("+ −", "− ");
  };
  const terms = one.q.map((_, place) => term(place));
  const joined = (some: string[]): string => some.join(" + ").replaceAll("+ −", "− ");
  const rest = terms.length - WRITTEN;
  const folded = rest > 0 ? `${joined(terms.slice(0, WRITTEN))} + … (${rest} more)` : joined(terms);
  const steps: [string, string, string][] = [[dot ? "q · k" : "score", folded, number(one.raw[key]!)]];
  if (one.scale !== null && one.scale !== 1) steps.push(["scaled", `${number(one.raw[key]!)} × ${number(one.scale)}`, number(one.scaled[key]!)]);
  const seen = one.allowed[key] ?? true;
  if (seen) {
    const taken = exponents.taken ? ` − ${number(exponents.taken)}` : "";
    steps.push([taken ? "e^{s − max}" : "e^{s}", `e^{${number(one.scaled[key]!)}${taken}}`, number(exponents.each[key]!)]);
    steps.push(["weight", `${number(exponents.each[key]!)} / ${number(exponents.sum)}`, number(one.softmax[key]!)]);
  } else steps.push(["weight", "this key may not be looked at (masked)", number(0)]);
  if (Math.abs(used - one.softmax[key]!) > 1e-4) steps.push(["used", "changed to", number(used)]);
  steps.push(["weight · v", `${number(used)} × ${vector(one.v[key]!.slice(0, 4)).replace(")", ", …)")}`, vector(one.weighted[key]!.slice(0, 4)).replace(")", ", …)")]);
  const lines = steps.map(([name, how, result]) =>
    element("tr", {}, element("th", { scope: "row" }, maths(name)), element("td", {}, maths(how)), element("td", { class: "number" }, maths(`= ${result}`))),
  );
  const all = element("details", {}, element("summary", {}, `All ${terms.length} products, q, k, v and the context`));
  all.append(
    element("p", { class: "maths long" }, `${joined(terms)} = ${number(one.raw[key]!)}`),
    element("p", { class: "maths long" }, `q = ${vector(one.q)}`),
    element("p", { class: "maths long" }, `k = ${vector(k)}`),
    element("p", { class: "maths long" }, `v = ${vector(one.v[key]!)}`),
    element("p", { class: "maths long" }, `context = ${vector(one.context)}`),
  );
  return element(
    "section",
    { class: "by-hand", "aria-label": "By hand" },
    element("h3", {}, "By hand: ", strong(one.query_token), " and ", strong(one.keys[key]!)),
    element("div", { class: "scroll" }, element("table", {}, element("tbody", {}, ...lines))),
    all,
  );
}
