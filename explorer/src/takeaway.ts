/* What is looked at as a file, PNG, SVG or JSON, or as a link. */
import type { Choice, Listening } from "./choice";
import { button, element } from "./dom";
import type { Figure, Shown } from "./figure";
import { fileName, save } from "./files";
import { GridFigure, gridShown } from "./grid";
import { CanvasInk, type Ink, SvgInk } from "./ink";
import { Lines } from "./lines";
import { Matrix } from "./matrix";
import { css, type Palette } from "./palette";
import { headWords, type Layer, MEAN, sentenceOf } from "./seen";

export const SHARPEST = 2e7; /* pixels of a canvas that every browser takes */

export interface Takeable {
  readonly layers: Layer[];
  readonly chosen: Choice;
  readonly shown: Shown;
  readonly palette: Palette;
  readonly family: string;
  readonly stageWidth: number;
  /* the picture with its light */
  readonly lit: HTMLCanvasElement;
}

export class TakeAway {
  readonly element = element("div", { class: "tools", role: "group", "aria-label": "Take it away" });
  private readonly status = element("span", { class: "quiet", role: "status" });

  constructor(
    private readonly from: Takeable,
    { link, lost }: Listening,
  ) {
    this.element.append(
      button("PNG", { title: "Download the picture as PNG" }, () => void this.savePng()),
      button("SVG", { title: "Download the picture as SVG" }, () => this.saveSvg()),
      button("JSON", { title: "Download the weights as JSON" }, () => this.saveJson()),
    );
    if (link) {
      this.element.append(
        button("Copy link", { title: "Copy an address that opens exactly this" }, () => {
          const copied = navigator.clipboard?.writeText(link()) ?? Promise.reject(new Error("no clipboard"));
          copied.then(
            () => this.tell(`Link copied${lost?.() ?? ""}.`),
            () => this.tell("The address bar holds the link."),
          );
        }),
      );
    }
    this.element.append(this.status);
  }

  private tell(text: string): void {
    this.status.textContent = text;
    setTimeout(() => (this.status.textContent = ""), 4000);
  }

  private get name(): string {
    const { chosen, shown } = this.from;
    if (chosen.view === "grid") return "attention-all-heads";
    const head = shown.layer.heads > 1 ? (chosen.head === MEAN ? "mean" : `head-${chosen.head}`) : "";
    return fileName("attention", chosen.layer, head, chosen.view).replace("--", "-");
  }

  /* The figure for a file; of a picture that is lit, an SVG is the chosen head as a matrix. */
  private drawn<Kind extends Ink>(make: (width: number, height: number) => Kind): Kind {
    const { chosen, layers, palette, family } = this.from;
    const whole = chosen.view === "grid";
    const figure: Figure = chosen.view === "lines" ? new Lines() : whole ? new GridFigure(layers) : new Matrix();
    const shown = whole ? gridShown(layers, this.from.shown) : this.from.shown;
    const size = figure.lay(shown, Math.max(640, this.from.stageWidth), family);
    const width = Math.max(size.width, 460);
    const ink = make(width, size.height + 34);
    const words = whole ? "All layers and heads" : sentenceOf(shown.layer, chosen.head);
    ink.text(words, 12, size.height + 16, { size: 12, colour: palette.quiet });
    figure.draw(ink, shown);
    return ink;
  }

  private async savePng(): Promise<void> {
    const { chosen, palette, family } = this.from;
    const canvas = chosen.view === "picture" ? this.from.lit : document.createElement("canvas");
    if (chosen.view !== "picture") {
      this.drawn((width, height) => {
        const scale = Math.min(2, Math.sqrt(SHARPEST / (width * height)));
        [canvas.width, canvas.height] = [width * scale, height * scale];
        const context = canvas.getContext("2d")!;
        context.scale(scale, scale);
        context.fillStyle = css(palette.paper);
        context.fillRect(0, 0, width, height);
        return new CanvasInk(context, family, palette);
      });
    }
    const made = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, "image/png"));
    if (made) save(`${this.name}.png`, made);
    else this.tell("This picture is too large for a PNG.");
  }

  private saveSvg(): void {
    const { family, palette } = this.from;
    const ink = this.drawn((width, height) => new SvgInk(family, palette, width, height));
    save(`${this.name}.svg`, new Blob([ink.markup], { type: "image/svg+xml" }));
  }

  private saveJson(): void {
    const { layer, matrixQK } = this.from.shown;
    const { head } = this.from.chosen;
    const keys = layer.keys.length;
    const rows = layer.queries.map((_, query) => Array.from(matrixQK.subarray(query * keys, (query + 1) * keys), (one) => Number(one.toFixed(5))));
    const data = { layer: layer.name, head: layer.heads === 1 ? 0 : head === MEAN ? null : head, heads: headWords(head, layer.heads), queries: layer.queries, keys: layer.keys, weights: rows };
    save(`${this.name}.json`, new Blob([`${JSON.stringify(data, null, 1)}\n`], { type: "application/json" }));
  }
}
