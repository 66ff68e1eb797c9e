/* Grid: every layer and head as a small matrix; a click opens one. */
import { element } from "./dom";
import { type Aim, type Figure, NOWHERE, type Shown, type Size } from "./figure";
import { type Ink, paint } from "./ink";
import type { Palette } from "./palette";
import { type Layer, largestOf, MEAN, matrixOf, sentenceOf } from "./seen";

interface Thumb {
  button: HTMLButtonElement;
  canvas: HTMLCanvasElement;
  layer: Layer;
  head: number;
}

const [THUMB, GAP, SIDE] = [64, 6, 48];
const columnsOf = (layer: Layer): number[] => (layer.heads > 1 ? [MEAN, ...Array(layer.heads).keys()] : [MEAN]);
const mostOf = (layers: Layer[]): number => Math.max(...layers.map((layer) => Math.min(1, largestOf(layer.weightsHQK)))) || 1;
export const gridShown = (layers: Layer[], shown: Shown): Shown => ({ ...shown, most: mostOf(layers) });

/* The grid for a file, drawn as the other figures are; nobody points at it. */
export class GridFigure implements Figure {
  private readonly blocks: { group: string; members: Layer[]; top: number }[] = [];

  constructor(private readonly layers: Layer[]) {}

  lay(): Size {
    let [width, top] = [0, 0];
    for (const group of new Set(this.layers.map((layer) => layer.group))) {
      const members = this.layers.filter((layer) => layer.group === group);
      this.blocks.push({ group, members, top });
      width = Math.max(width, SIDE + Math.max(...members.map((layer) => columnsOf(layer).length)) * (THUMB + GAP));
      top += 52 + members.length * (THUMB + GAP) + 14;
    }
    return { width: width + 12, height: top };
  }

  draw(ink: Ink, { most }: Pick<Shown, "most">): void {
    const quiet = { size: 11.5, colour: ink.palette.quiet };
    for (const { group, members, top } of this.blocks) {
      ink.text(group, 12, top + 16, { size: 13, colour: ink.palette.ink, bold: true });
      members.forEach((layer, row) => {
        const y = top + 48 + row * (THUMB + GAP);
        ink.text(layer.place, SIDE - 8, y + THUMB / 2, { ...quiet, align: "end" });
        columnsOf(layer).forEach((head, column) => {
          const x = SIDE + column * (THUMB + GAP);
          if (row === 0) ink.text(head === MEAN ? "mean" : String(head), x + THUMB / 2, top + 36, { ...quiet, align: "middle" });
          const [rows, columns] = [layer.queries.length, layer.keys.length];
          const cell = THUMB / Math.max(rows, columns);
          ink.rect(x, y, THUMB, THUMB, ink.palette.raised);
          ink.cells({ matrix: matrixOf(layer, head), rows, columns, most }, x, y, cell);
          ink.frame(x - 0.5, y - 0.5, THUMB + 1, THUMB + 1, ink.palette.hair, 1);
        });
      });
    }
  }

  at(): Aim {
    return NOWHERE;
  }
}

const SMOOTH = 60; /* more cells than pixels: let the browser average them */

export class GridView {
  readonly element = element("div", { class: "overview" });
  private thumbs: Thumb[] = [];
  private layers: Layer[] | null = null;
  private palette: Palette | null = null;

  constructor(private readonly open: (layer: Layer, head: number) => void) {}

  show(layers: Layer[], palette: Palette, chosen: { layer: Layer; head: number }): void {
    if (layers !== this.layers) this.build(layers);
    if (layers !== this.layers || palette !== this.palette) {
      const most = mostOf(layers);
      for (const { canvas, layer, head } of this.thumbs) {
        paint(canvas, { matrix: matrixOf(layer, head), rows: layer.queries.length, columns: layer.keys.length, most }, palette);
      }
    }
    this.layers = layers;
    this.palette = palette;
    for (const { button, layer, head } of this.thumbs) {
      button.setAttribute("aria-pressed", String(layer === chosen.layer && head === chosen.head));
    }
  }

  private build(layers: Layer[]): void {
    this.thumbs = [];
    const groups = [...new Set(layers.map((layer) => layer.group))];
    this.element.replaceChildren(...groups.map((group) => this.block(group, layers.filter((layer) => layer.group === group))));
  }

  private block(group: string, members: Layer[]): HTMLElement {
    const most = Math.max(...members.map((layer) => layer.heads));
    const heads = most > 1 ? [MEAN, ...Array(most).keys()] : [MEAN];
    const rows = members.map((layer) =>
      element(
        "tr",
        {},
        element("th", { scope: "row" }, layer.place),
        ...heads.map((head) => element("td", {}, ...(head < layer.heads ? [this.thumb(layer, head)] : []))),
      ),
    );
    const top = heads.map((head) => element("th", { scope: "col" }, head === MEAN ? "mean" : String(head)));
    const corner = element("td", { class: "corner" }, members.length > 1 ? "layer" : "");
    const table = element("table", {}, element("thead", {}, element("tr", {}, corner, ...top)), element("tbody", {}, ...rows));
    return element("div", { class: most > 6 ? "block" : "block few" }, element("h3", {}, group), element("div", { class: "scroll" }, table));
  }

  private thumb(layer: Layer, head: number): HTMLButtonElement {
    const canvas = element("canvas");
    if (Math.max(layer.queries.length, layer.keys.length) > SMOOTH) canvas.className = "many";
    const button = element("button", { type: "button", class: "thumb", "aria-label": sentenceOf(layer, head), title: sentenceOf(layer, head) }, canvas);
    button.addEventListener("click", () => this.open(layer, head));
    this.thumbs.push({ button, canvas, layer, head });
    return button;
  }
}
