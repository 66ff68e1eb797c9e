/* One way to draw, two papers: a canvas for the screen and PNG, SVG for a file that can be enlarged. */
import { css, type Palette, type Rgb } from "./palette";

export interface Letters {
  size: number;
  colour: Rgb;
  align?: "start" | "end" | "middle";
  alpha?: number;
  turn?: number;
  bold?: boolean;
}

export interface Cells {
  matrix: Float32Array;
  rows: number;
  columns: number;
  most: number;
}

export interface Ink {
  readonly family: string;
  readonly palette: Palette;
  rect(x: number, y: number, width: number, height: number, colour: Rgb, alpha?: number, round?: number): void;
  frame(x: number, y: number, width: number, height: number, colour: Rgb, line: number): void;
  curve(x1: number, y1: number, x2: number, y2: number, colour: Rgb, alpha: number, line: number): void;
  text(text: string, x: number, y: number, letters: Letters): void;
  /* Weights as squares of `cell`; below zero, as in a difference, they are warm. */
  cells(cells: Cells, x: number, y: number, cell: number): void;
  within(x: number, y: number, width: number, height: number, draw: () => void): void;
}

export const share = (weight: number, most: number): number => Math.min(1, Math.abs(weight) / most);

export class CanvasInk implements Ink {
  private bitmap: { of: Float32Array; most: number; palette: Palette; canvas: HTMLCanvasElement } | null = null;

  constructor(
    readonly context: CanvasRenderingContext2D,
    readonly family: string,
    readonly palette: Palette,
  ) {}

  rect(x: number, y: number, width: number, height: number, colour: Rgb, alpha = 1, round = 0): void {
    this.context.globalAlpha = alpha;
    this.context.fillStyle = css(colour);
    if (round) {
      this.context.beginPath();
      this.context.roundRect(x, y, width, height, round);
      this.context.fill();
    } else this.context.fillRect(x, y, width, height);
    this.context.globalAlpha = 1;
  }

  frame(x: number, y: number, width: number, height: number, colour: Rgb, line: number): void {
    this.context.strokeStyle = css(colour);
    this.context.lineWidth = line;
    this.context.strokeRect(x, y, width, height);
  }

  curve(x1: number, y1: number, x2: number, y2: number, colour: Rgb, alpha: number, line: number): void {
    const middle = (x1 + x2) / 2;
    const { context } = this;
    context.globalAlpha = alpha;
    context.strokeStyle = css(colour);
    context.lineWidth = line;
    context.beginPath();
    context.moveTo(x1, y1);
    context.bezierCurveTo(middle, y1, middle, y2, x2, y2);
    context.stroke();
    context.globalAlpha = 1;
  }

  text(text: string, x: number, y: number, letters: Letters): void {
    const { context } = this;
    context.font = `${letters.bold ? "600 " : ""}${letters.size}px ${this.family}`;
    context.fillStyle = css(letters.colour);
    context.globalAlpha = letters.alpha ?? 1;
    /* left and right, not start and end: a label keeps its side whatever way its script runs */
    context.textAlign = letters.align === "end" ? "right" : letters.align === "middle" ? "center" : "left";
    context.textBaseline = "middle";
    if (letters.turn) {
      context.save();
      context.translate(x, y);
      context.rotate((letters.turn * Math.PI) / 180);
      context.fillText(text, 0, 0);
      context.restore();
    } else context.fillText(text, x, y);
    context.globalAlpha = 1;
  }

  cells(cells: Cells, x: number, y: number, cell: number): void {
    const { context } = this;
    const wide = cells.columns * cell;
    const high = cells.rows * cell;
    context.imageSmoothingEnabled = cell < 1;
    context.drawImage(this.painted(cells), x, y, wide, high);
    if (cell < 7) return;
    context.fillStyle = css(this.palette.raised);
    for (let column = 1; column < cells.columns; column++) context.fillRect(x + column * cell - 0.5, y, 1, high);
    for (let row = 1; row < cells.rows; row++) context.fillRect(x, y + row * cell - 0.5, wide, 1);
  }

  within(x: number, y: number, width: number, height: number, draw: () => void): void {
    this.context.save();
    this.context.beginPath();
    this.context.rect(x, y, width, height);
    this.context.clip();
    draw();
    this.context.restore();
  }

  /* One pixel a weight, made once for each matrix. */
  private painted(cells: Cells): HTMLCanvasElement {
    const kept = this.bitmap;
    if (kept && kept.of === cells.matrix && kept.most === cells.most && kept.palette === this.palette) return kept.canvas;
    const canvas = kept?.canvas ?? document.createElement("canvas");
    paint(canvas, cells, this.palette);
    this.bitmap = { of: cells.matrix, most: cells.most, palette: this.palette, canvas };
    return canvas;
  }
}

export function paint(canvas: HTMLCanvasElement, cells: Cells, palette: Palette): void {
  canvas.width = cells.columns;
  canvas.height = cells.rows;
  const context = canvas.getContext("2d")!;
  const image = context.createImageData(cells.columns, cells.rows);
  const pixels = new Uint32Array(image.data.buffer);
  const [more, less] = [packedColour(palette.weight), packedColour(palette.warm)];
  const factor = 255 / cells.most;
  for (let place = 0; place < pixels.length; place++) {
    const weight = cells.matrix[place]! * factor;
    const alpha = Math.min(255, Math.round(weight < 0 ? -weight : weight));
    pixels[place] = ((alpha << 24) | (weight < 0 ? less : more)) >>> 0;
  }
  context.putImageData(image, 0, 0);
}

const packedColour = ([red, green, blue]: Rgb): number => (blue << 16) | (green << 8) | red;

/* Asked of the browser, so that no page holds anything that looks like an address. */
const namespace = (): string => new DOMParser().parseFromString("<svg/>", "text/html").body.firstElementChild!.namespaceURI!;

const FINE = 2; /* squares smaller than this go into an SVG as pixels: a hundred thousand shapes open in no program */

export class SvgInk implements Ink {
  private readonly space = namespace();
  readonly svg = document.createElementNS(this.space, "svg") as SVGElement;
  private into: SVGElement = this.svg;

  constructor(
    readonly family: string,
    readonly palette: Palette,
    width: number,
    height: number,
  ) {
    this.set(this.svg, { width, height, viewBox: `0 0 ${width} ${height}`, "font-family": family });
    this.rect(0, 0, width, height, palette.paper);
  }

  rect(x: number, y: number, width: number, height: number, colour: Rgb, alpha = 1, round = 0): void {
    this.add("rect", { x, y, width, height, fill: css(colour), ...faint("fill-opacity", alpha), ...(round ? { rx: round } : {}) });
  }

  frame(x: number, y: number, width: number, height: number, colour: Rgb, line: number): void {
    this.add("rect", { x, y, width, height, fill: "none", stroke: css(colour), "stroke-width": line });
  }

  curve(x1: number, y1: number, x2: number, y2: number, colour: Rgb, alpha: number, line: number): void {
    const middle = rounded((x1 + x2) / 2);
    const d = `M${rounded(x1)} ${rounded(y1)}C${middle} ${rounded(y1)} ${middle} ${rounded(y2)} ${rounded(x2)} ${rounded(y2)}`;
    this.add("path", { d, fill: "none", stroke: css(colour), "stroke-width": line, ...faint("stroke-opacity", alpha) });
  }

  text(text: string, x: number, y: number, letters: Letters): void {
    const made = this.add("text", {
      x,
      y,
      "font-size": letters.size,
      fill: css(letters.colour),
      "dominant-baseline": "central",
      ...(letters.align && letters.align !== "start" ? { "text-anchor": letters.align } : {}),
      ...(letters.bold ? { "font-weight": 600 } : {}),
      ...(letters.turn ? { transform: `rotate(${letters.turn} ${rounded(x)} ${rounded(y)})` } : {}),
      ...faint("fill-opacity", letters.alpha ?? 1),
    });
    made.textContent = text;
  }

  cells(cells: Cells, x: number, y: number, cell: number): void {
    if (cell < FINE) {
      const canvas = document.createElement("canvas");
      paint(canvas, cells, this.palette);
      const [width, height] = [cells.columns * cell, cells.rows * cell];
      this.add("image", { x, y, width, height, preserveAspectRatio: "none", href: canvas.toDataURL(), "image-rendering": "pixelated" });
      return;
    }
    const gap = cell < 7 ? 0 : 1;
    for (let row = 0; row < cells.rows; row++) {
      for (let column = 0; column < cells.columns; column++) {
        const weight = cells.matrix[row * cells.columns + column]!;
        const alpha = share(weight, cells.most);
        if (alpha < 0.004) continue;
        const colour = weight < 0 ? this.palette.warm : this.palette.weight;
        this.rect(x + column * cell, y + row * cell, cell - gap, cell - gap, colour, alpha);
      }
    }
  }

  within(x: number, y: number, width: number, height: number, draw: () => void): void {
    const outer = this.into;
    this.into = this.add("svg", { x, y, width, height, viewBox: `${x} ${y} ${width} ${height}`, overflow: "hidden" });
    draw();
    this.into = outer;
  }

  get markup(): string {
    return new XMLSerializer().serializeToString(this.svg);
  }

  private add(name: string, attributes: Record<string, string | number>): SVGElement {
    const made = document.createElementNS(this.space, name) as SVGElement;
    this.set(made, attributes);
    this.into.append(made);
    return made;
  }

  private set(target: Element, attributes: Record<string, string | number>): void {
    for (const [key, value] of Object.entries(attributes)) {
      target.setAttribute(key, typeof value === "number" ? String(rounded(value)) : value);
    }
  }
}

const rounded = (value: number): number => Math.round(value * 1000) / 1000;
const faint = (name: string, alpha: number): Record<string, number> => (alpha < 1 ? { [name]: alpha } : {});
