/* Lines: keys on the left, queries on the right, a curve for each weight. */
import { clamp, label, number, widths } from "./dom";
import { type Aim, type Figure, NOWHERE, type Shown, type Size } from "./figure";
import { type Ink, share } from "./ink";
import { strongest } from "./seen";

const TOP = 34;
const GAP = 10;
const FAINT = 0.02; /* of the largest: below it a line cannot be seen */
const TALLEST = 7600; /* a canvas has an end */
const NUMBERED = 8;
const MOST = 1200; /* lines at once: more are a haze, and slow */

const BROAD = 250; /* of these as many as are drawn full: the stronger, the broader and the slower */
const GOLDEN = 0.6180339887;

export interface Haze {
  /* the share of the largest weight from which on lines are drawn */
  least: number;
  /* which part of these lines is drawn */
  part: number;
}

/* All lines that can be seen, or the strongest; of very many that are equal, as where a head looks everywhere, some. */
export function hazeOf(matrixQK: Float32Array, most: number): Haze {
  const counts = new Uint32Array(101);
  for (const weight of matrixQK) counts[Math.floor(share(weight, most) * 100)]!++;
  const lowest = Math.round(FAINT * 100);
  let [step, drawn, ink] = [100, counts[100]!, counts[100]!];
  while (step > lowest) {
    const more = counts[step - 1]!;
    const full = drawn + more > MOST || ink + (more * (step - 1)) / 100 > BROAD;
    if (full && ink > BROAD / 2) break;
    drawn += more;
    ink += (more * --step) / 100;
  }
  return { least: step / 100, part: Math.min(1, MOST / drawn, BROAD / ink) };
}

export class Lines implements Figure {
  private keys: string[] = [];
  private queries: string[] = [];
  private keyWidths: number[] = [];
  private queryWidths: number[] = [];
  private from = 0;
  private to = 0;
  private step = 25;
  private letters = 14;
  private size: Size = { width: 0, height: 0 };
  private laid: { layer: Shown["layer"]; width: number; family: string } | null = null;

  lay({ layer }: Shown, width: number, family: string): Size {
    if (layer === this.laid?.layer && width === this.laid.width && family === this.laid.family) return this.size;
    this.laid = { layer, width, family };
    const longest = Math.max(layer.queries.length, layer.keys.length);
    const narrow = width < 520;
    this.step = clamp(TALLEST / longest, 4, longest > 34 ? 20 : 27);
    this.letters = Math.min(narrow ? 13 : 14.5, this.step * 0.8);
    this.keys = layer.keys.map(label);
    this.queries = layer.queries.map(label);
    this.keyWidths = widths(this.keys, this.letters, family);
    this.queryWidths = widths(this.queries, this.letters, family);
    const margin = 46;
    const [left, right] = [Math.max(...this.keyWidths, 50), Math.max(...this.queryWidths, 50)];
    const span = clamp(width - left - right - 2 * margin - 2 * GAP, 60, 420);
    this.from = Math.round(Math.max(margin + left + GAP, (width - span) / 2 - (right - left) / 2));
    this.to = this.from + span;
    this.size = { width: Math.ceil(this.to + GAP + right + margin), height: Math.ceil(TOP + longest * this.step + 6) };
    return this.size;
  }

  draw(ink: Ink, { layer, matrixQK, most, aim }: Shown): void {
    const { palette } = ink;
    const cross = layer.kind === "cross";
    const quiet = { size: 12, colour: palette.quiet };
    ink.text(cross ? "source" : "looked at", this.from - GAP, 14, { ...quiet, align: "end" });
    ink.text(cross ? "target" : "looking", this.to + GAP, 14, quiet);

    const keys = layer.keys.length;
    const { query: aimedQuery, key: aimedKey } = aim;
    const nobody = aimedQuery === null && aimedKey === null;
    const { least, part: some } = nobody ? hazeOf(matrixQK, most) : { least: FAINT, part: 1 };
    let met = 0;
    const line = (query: number, key: number, colour = palette.weight, extra = 0): void => {
      const weight = matrixQK[query * keys + key]!;
      const alpha = share(weight, most);
      if (alpha < least && !extra) return;
      /* spread over all queries and keys alike, and the same each time */
      if (some < 1 && (met++ * GOLDEN) % 1 >= some) return;
      const drawn = weight < 0 ? palette.warm : colour;
      ink.curve(this.from, this.y(key), this.to, this.y(query), drawn, Math.max(alpha, extra && 0.5), 0.6 + 2.4 * alpha + extra);
    };
    for (let query = 0; query < layer.queries.length; query++) {
      if (aimedQuery !== null && aimedQuery !== query) continue;
      for (let key = 0; key < keys; key++) if (aimedKey === null || aimedQuery !== null || aimedKey === key) line(query, key);
    }
    if (aimedQuery !== null && aimedKey !== null) line(aimedQuery, aimedKey, palette.warm, 1);

    const near = new Map<string, number>();
    if (aimedQuery !== null) {
      for (const { other, weight } of strongest(layer, matrixQK, "query", aimedQuery, keys)) near.set(`key${other}`, weight);
    } else if (aimedKey !== null) {
      for (const { other, weight } of strongest(layer, matrixQK, "key", aimedKey, layer.queries.length)) near.set(`query${other}`, weight);
    }
    let numbers = 0;
    const token = (side: "key" | "query", place: number): void => {
      const left = side === "key";
      const text = (left ? this.keys : this.queries)[place]!;
      const width = (left ? this.keyWidths : this.queryWidths)[place]!;
      const x = left ? this.from - GAP : this.to + GAP;
      const y = this.y(place);
      const on = (left ? aimedKey : aimedQuery) === place;
      const weight = near.get(side + place);
      const part = weight === undefined ? 0 : share(weight, most);
      if (part > FAINT && !on) {
        const colour = weight! < 0 ? palette.warm : palette.weight;
        ink.rect(left ? x - width - 5 : x - 5, y - this.step * 0.44, width + 10, this.step * 0.88, colour, 0.05 + 0.27 * part, 3);
      }
      if (this.letters >= 6 || on) {
        const colour = on ? palette.warm : palette.ink;
        const letters = { size: on ? Math.max(this.letters, 11) : this.letters, colour, bold: on };
        ink.text(text, x, y, { ...letters, align: left ? "end" : "start", alpha: nobody || on || part > 0.12 ? 1 : 0.55 });
      }
      if (weight !== undefined && Math.abs(weight) >= 0.01 && numbers < NUMBERED && this.letters >= 6) {
        numbers++;
        ink.text(number(weight, 2), left ? x - width - 11 : x + width + 11, y, { ...quiet, align: left ? "end" : "start" });
      }
    };
    const strongestFirst = [...near.keys()];
    for (let place = 0; place < layer.queries.length; place++) if (!near.has(`query${place}`)) token("query", place);
    for (let place = 0; place < keys; place++) if (!near.has(`key${place}`)) token("key", place);
    for (const name of strongestFirst) token(name.startsWith("key") ? "key" : "query", Number(name.replace(/\D+/, "")));
  }

  at(x: number, y: number): Aim {
    const place = Math.floor((y - TOP) / this.step);
    const key = x < (this.from + this.to) / 2;
    if (x < 0 || x > this.size.width || place < 0 || place >= (key ? this.keys : this.queries).length) return NOWHERE;
    return key ? { query: null, key: place } : { query: place, key: null };
  }

  private y(place: number): number {
    return TOP + (place + 0.5) * this.step;
  }
}
