/* Grid: every layer and head as a small matrix; a click opens one. */
import { element } from "./dom";
import { paint } from "./ink";
import type { Palette } from "./palette";
import { type Layer, largestOf, MEAN, matrixOf, sentenceOf } from "./seen";

interface Thumb {
  button: HTMLButtonElement;
  canvas: HTMLCanvasElement;
  layer: Layer;
  head: number;
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
      const most = Math.max(...layers.map((layer) => Math.min(1, largestOf(layer.weightsHQK)))) || 1;
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
