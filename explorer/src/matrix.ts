/* Matrix: a row for each query, a column for each key; it can be enlarged and moved under its labels. */
import { clamp, label, number, widths } from "./dom";
import { type Aim, type Figure, NOWHERE, type Shown, type Size } from "./figure";
import type { Ink } from "./ink";

const SLANT = 50;
const [SINE, COSINE] = [Math.sin((SLANT * Math.PI) / 180), Math.cos((SLANT * Math.PI) / 180)];
const [WIDEST, HIGHEST] = [38, 860];
const READABLE = 11; /* pixels from label to label */
const NUMBERED = 30; /* a cell this wide has room for its number */
const FOOT = 34;
const MOST_ZOOM = 16;

export class Matrix implements Figure {
  zoom = 1;
  /* what is seen begins this many cells from the corner */
  private x = 0;
  private y = 0;
  private cell = 20;
  private left = 0;
  private top = 0;
  private letters = 13;
  private columns = 0;
  private rows = 0;
  private size: Size = { width: 0, height: 0 };
  private queries: string[] = [];
  private keys: string[] = [];

  lay({ layer }: Shown, width: number, family: string): Size {
    this.queries = layer.queries.map(label);
    this.keys = layer.keys.map(label);
    [this.rows, this.columns] = [layer.queries.length, layer.keys.length];
    this.letters = width < 520 || this.columns > 34 ? 12 : 14;
    const keyWidths = widths(this.keys, this.letters, family);
    const longest = Math.max(...widths(this.queries, this.letters, family), 30);
    this.left = Math.ceil(longest) + 12;
    this.top = Math.ceil(Math.max(...keyWidths) * SINE) + 20;
    const overhang = (cell: number): number =>
      keyWidths.reduce((most, each, place) => Math.max(most, each * COSINE + 10 - (this.columns - place - 0.5) * cell), 6);
    const high = Math.max(8, HIGHEST / this.rows);
    const fit = (room: number): number => clamp(room / this.columns, 0.5, Math.min(WIDEST, high));
    this.cell = fit(width - this.left - overhang(fit(width - this.left)));
    if (this.cell > 8) this.cell = Math.floor(this.cell);
    this.move(0, 0);
    this.size = {
      width: Math.ceil(this.left + this.columns * this.cell + overhang(this.cell)),
      height: Math.ceil(this.top + this.rows * this.cell + FOOT),
    };
    return this.size;
  }

  draw(ink: Ink, { layer, matrixQK, most, aim }: Shown): void {
    const { palette } = ink;
    const { left, top, rows, columns } = this;
    const cell = this.cell * this.zoom;
    const [wide, high] = [columns * this.cell, rows * this.cell];
    const [x0, y0] = [left - this.x * cell, top - this.y * cell];
    const nobody = aim.query === null && aim.key === null;
    ink.rect(left, top, wide, high, palette.raised);
    ink.within(left, top, wide, high, () => {
      if (aim.query !== null) ink.rect(left, y0 + aim.query * cell, wide, cell, palette.accent, 0.1);
      if (aim.key !== null) ink.rect(x0 + aim.key * cell, top, cell, high, palette.accent, 0.1);
      ink.cells({ matrix: matrixQK, rows, columns, most }, x0, y0, cell);
      if (cell >= NUMBERED) this.drawNumbers(ink, matrixQK, most, x0, y0, cell);
      if (aim.query !== null && aim.key !== null) {
        ink.frame(x0 + aim.key * cell, y0 + aim.query * cell, Math.max(cell - 1, 2), Math.max(cell - 1, 2), palette.warm, 2);
      }
    });
    ink.frame(left - 0.5, top - 0.5, wide + 1, high + 1, palette.hair, 1);

    const stride = Math.ceil(READABLE / cell);
    const look = (on: boolean): { size: number; colour: typeof palette.ink; bold: boolean; alpha: number } => ({
      size: this.letters,
      colour: on ? palette.warm : palette.ink,
      bold: on,
      alpha: nobody || on ? 1 : 0.55,
    });
    /* where labels are thinned out, the one pointed at always stands and its neighbours make room */
    const crowded = (place: number, aimed: number | null): boolean =>
      aimed !== place && (place % stride !== 0 || (aimed !== null && stride > 1 && Math.abs(place - aimed) < stride));
    for (let place = 0; place < columns; place++) {
      const x = x0 + (place + 0.5) * cell;
      if (x < left || x > left + wide || crowded(place, aim.key)) continue;
      ink.text(this.keys[place]!, x, top - 9, { ...look(aim.key === place), turn: -SLANT });
    }
    for (let place = 0; place < rows; place++) {
      const y = y0 + (place + 0.5) * cell;
      if (y < top || y > top + high || crowded(place, aim.query)) continue;
      ink.text(this.queries[place]!, left - 9, y, { ...look(aim.query === place), align: "end" });
    }
    this.drawScale(ink, most, layer);
  }

  at(x: number, y: number): Aim {
    const cell = this.cell * this.zoom;
    const key = Math.floor((x - this.left) / cell + this.x);
    const query = Math.floor((y - this.top) / cell + this.y);
    const right = this.left + this.columns * this.cell;
    const bottom = this.top + this.rows * this.cell;
    const onQuery = y >= this.top && y < bottom && query < this.rows;
    if (x >= this.left && x < right && key < this.columns) {
      if (onQuery) return { query, key };
      if (y < this.top && y > this.top - 30) return { query: null, key };
    } else if (x < this.left && x >= 0 && onQuery) return { query, key: null };
    return NOWHERE;
  }

  /* Enlarge by `factor` around a point of the picture, which stays where it is. */
  enlarge(factor: number, x = this.left + (this.columns * this.cell) / 2, y = this.top + (this.rows * this.cell) / 2): void {
    const before = this.cell * this.zoom;
    this.zoom = clamp(this.zoom * factor, 1, Math.max(MOST_ZOOM, 40 / this.cell));
    const after = this.cell * this.zoom;
    const [dx, dy] = [clamp(x - this.left, 0, this.columns * this.cell), clamp(y - this.top, 0, this.rows * this.cell)];
    this.x += dx / before - dx / after;
    this.y += dy / before - dy / after;
    this.move(0, 0);
  }

  whole(): void {
    this.zoom = 1;
    this.move(0, 0);
  }

  /* By pixels; the matrix never leaves its frame. */
  move(dx: number, dy: number): void {
    const cell = this.cell * this.zoom;
    this.x = clamp(this.x - dx / cell, 0, this.columns - this.columns / this.zoom);
    this.y = clamp(this.y - dy / cell, 0, this.rows - this.rows / this.zoom);
  }

  private drawNumbers(ink: Ink, matrixQK: Float32Array, most: number, x0: number, y0: number, cell: number): void {
    for (let query = Math.floor(this.y); query < Math.min(this.rows, this.y + this.rows / this.zoom); query++) {
      for (let key = Math.floor(this.x); key < Math.min(this.columns, this.x + this.columns / this.zoom); key++) {
        const weight = matrixQK[query * this.columns + key]!;
        if (Math.abs(weight) < 0.005) continue;
        const colour = Math.abs(weight) / most > 0.5 ? ink.palette.raised : ink.palette.ink;
        const [x, y] = [x0 + (key + 0.5) * cell - 0.5, y0 + (query + 0.5) * cell];
        ink.text(number(weight, 2).replace("0.", "."), x, y, { size: Math.min(13, cell * 0.34), colour, align: "middle" });
      }
    }
  }

  private drawScale(ink: Ink, most: number, layer: Shown["layer"]): void {
    const y = this.top + this.rows * this.cell + 20;
    const quiet = { size: 11.5, colour: ink.palette.quiet };
    const steps = 6;
    ink.text("0", this.left, y, quiet);
    for (let step = 0; step < steps; step++) {
      ink.rect(this.left + 14 + step * 13, y - 4.5, 12, 9, ink.palette.weight, Math.max(step / (steps - 1), 0.03));
    }
    ink.text(number(most, 2), this.left + 14 + steps * 13 + 5, y, quiet);
    const right = this.left + this.columns * this.cell;
    const said = layer.kind === "cross" ? "rows: target · columns: source" : "rows look at columns";
    if (right - this.left > 310) ink.text(said, right, y, { ...quiet, align: "end" });
  }
}
