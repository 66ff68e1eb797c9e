/* A picture, lit where a word looked: the smooth surface that the drawn figures have too. */
import { clamp } from "./dom";
import type { Grid } from "./seen";

const [DARK, LIFT] = [0.36, 0.15];
const SIDE = 480; /* pixels of the longer side */

/* How much each cell counts at each point of a cubic B-spline: for every point the first of four cells, and four parts. */
function spline(cells: number, points: number): { firsts: Int32Array; parts: Float32Array } {
  const firsts = new Int32Array(points);
  const parts = new Float32Array(4 * points);
  for (let point = 0; point < points; point++) {
    const at = ((point + 0.5) / points) * cells - 0.5;
    const first = Math.floor(at);
    const t = at - first;
    firsts[point] = first - 1;
    parts.set([(1 - t) ** 3 / 6, (3 * t ** 3 - 6 * t ** 2 + 4) / 6, (-3 * t ** 3 + 3 * t ** 2 + 3 * t + 1) / 6, t ** 3 / 6], 4 * point);
  }
  return { firsts, parts };
}

/* (rows × columns) weights as a surface of (height × width) points. */
export function smooth(weights: Float32Array, { rows, columns }: Grid, height: number, width: number): Float32Array {
  const across = spline(columns, width);
  const wide = new Float32Array(rows * width);
  for (let row = 0; row < rows; row++) {
    for (let x = 0; x < width; x++) {
      let sum = 0;
      for (let step = 0; step < 4; step++) {
        sum += across.parts[4 * x + step]! * weights[row * columns + clamp(across.firsts[x]! + step, 0, columns - 1)]!;
      }
      wide[row * width + x] = sum;
    }
  }
  const down = spline(rows, height);
  const light = new Float32Array(height * width);
  for (let y = 0; y < height; y++) {
    for (let step = 0; step < 4; step++) {
      const part = down.parts[4 * y + step]!;
      const from = clamp(down.firsts[y]! + step, 0, rows - 1) * width;
      for (let x = 0; x < width; x++) light[y * width + x]! += part * wide[from + x]!;
    }
  }
  return light;
}

export type UnitBox = [left: number, top: number, right: number, bottom: number];

/* Draws `image` on the canvas: grey and dark where nobody looked, bright where the most weight is. */
export class LitPicture {
  private plain: ImageData | null = null;

  constructor(
    readonly image: HTMLImageElement,
    readonly canvas: HTMLCanvasElement,
    private readonly fit: Grid["fit"] = "squash",
  ) {}

  show(weights: Float32Array, grid: Grid, boxes: UnitBox[] = []): void {
    const source = (this.plain ??= this.pixels());
    const { width, height } = this.canvas;
    const light = smooth(weights, grid, height, width);
    let most = 0;
    for (const one of light) if (one > most) most = one;
    const shown = new ImageData(width, height);
    for (let point = 0; point < light.length; point++) {
      const share = most ? light[point]! / most : 0;
      const at = 4 * point;
      const grey = 0.299 * source.data[at]! + 0.587 * source.data[at + 1]! + 0.114 * source.data[at + 2]!;
      for (let colour = at; colour < at + 3; colour++) {
        const bright = source.data[colour]! + LIFT * (255 - source.data[colour]!);
        shown.data[colour] = DARK * grey * (1 - share) + bright * share;
      }
      shown.data[at + 3] = 255;
    }
    const context = this.canvas.getContext("2d")!;
    context.putImageData(shown, 0, 0);
    context.strokeStyle = "#e8833a";
    context.lineWidth = Math.max(2, width / 160);
    for (const [left, top, right, bottom] of boxes) {
      context.strokeRect(left * width, top * height, (right - left) * width, (bottom - top) * height);
    }
  }

  private pixels(): ImageData {
    const { image, canvas } = this;
    const { naturalWidth: wide, naturalHeight: high } = image;
    const side = Math.min(wide, high);
    const [width, height] = this.fit === "crop" ? [side, side] : [wide, high];
    const factor = SIDE / Math.max(width, height);
    canvas.width = Math.max(1, Math.round(width * factor));
    canvas.height = Math.max(1, Math.round(height * factor));
    const context = canvas.getContext("2d", { willReadFrequently: true })!;
    context.drawImage(image, (wide - width) / 2, (high - height) / 2, width, height, 0, 0, canvas.width, canvas.height);
    return context.getImageData(0, 0, canvas.width, canvas.height);
  }
}
