/* Picture: what each word, or each place of the picture itself, looked at, with a scrubber through them. */
import { button, clamp, element, isolated, number } from "./dom";
import { LitPicture, type UnitBox } from "./light";
import { firstPlace, type Grid, largestOf, type Layer, ownPlace } from "./seen";

const BEAT = 700; /* milliseconds a word, when it plays by itself */

export class PictureView {
  readonly element = element("div", { class: "picture" });
  private readonly image = element("img", { alt: "the picture that was given" });
  private readonly canvas = element("canvas", { role: "img" });
  private readonly frame = element("div", { class: "frame" }, this.image, this.canvas);
  private readonly words = element("div", { class: "words", role: "group", "aria-label": "Words: point at one to see where it looked" });
  private readonly scrubber = element("input", { type: "range", min: 0, step: 1, "aria-label": "Word" });
  private readonly said = element("p", { class: "quiet peak" });
  private readonly play = button("Play", { class: "small" }, () => this.toggle());
  private lit = new LitPicture(this.image, this.canvas);
  private buttons: HTMLButtonElement[] = [];
  private timer = 0;
  private address = "";
  private shown: { layer: Layer; matrixQK: Float32Array; grid: Grid } | null = null;

  constructor(private readonly pick: (query: number) => void) {
    const scrub = element("div", { class: "scrub" }, this.play, this.scrubber);
    this.element.append(this.frame, element("div", { class: "told" }, this.words, scrub, this.said));
    this.scrubber.addEventListener("input", () => this.pick(Number(this.scrubber.value)));
    this.frame.addEventListener("click", (event) => this.pickAt(event));
  }

  show(address: string, grid: Grid, layer: Layer, matrixQK: Float32Array, query: number | null): void {
    if (this.shown?.layer !== layer) this.name(layer);
    const other = address !== this.address || grid.fit !== this.shown?.grid.fit;
    this.shown = { layer, matrixQK, grid };
    if (other) {
      this.address = address;
      this.image.src = address;
      this.lit = new LitPicture(this.image, this.canvas, grid.fit);
      this.frame.classList.toggle("square", grid.fit === "crop");
    }
    this.point(query);
  }

  /* Lights one word; none shows the picture as it is. */
  point(query: number | null): void {
    const { shown } = this;
    if (!shown) return;
    const { layer, matrixQK, grid } = shown;
    this.buttons.forEach((one, place) => one.setAttribute("aria-pressed", String(place === query)));
    this.canvas.hidden = query === null;
    this.scrubber.value = String(query ?? 0);
    this.scrubber.setAttribute("aria-valuetext", layer.queries[query ?? 0]!);
    if (query === null) {
      this.said.textContent = "Point at a word, or move the slider.";
      return;
    }
    const [keys, first] = [layer.keys.length, firstPlace(layer, grid)];
    const weights = matrixQK.subarray(query * keys + first, (query + 1) * keys);
    const most = largestOf(weights);
    const peak = weights.findIndex((weight) => Math.abs(weight) === most);
    const where = `row ${layer.keys[first + peak]!.replace(",", ", column ")}`;
    this.said.replaceChildren(isolated(layer.queries[query]!), ` looks most at ${where}: ${number(most)}`);
    this.canvas.setAttribute("aria-label", `${layer.queries[query]!} looks most at ${where}`);
    void this.image.decode().then(
      () => this.lit.show(weights, grid, boxes(ownPlace(layer, grid, query), grid)),
      () => (this.said.textContent = "This picture cannot be shown here."),
    );
  }

  stop(): void {
    clearInterval(this.timer);
    this.timer = 0;
    this.play.textContent = "Play";
  }

  get drawn(): HTMLCanvasElement {
    return this.canvas;
  }

  /* A click on a place of the picture, where places look too. */
  private pickAt(event: MouseEvent): void {
    const { shown } = this;
    if (!shown || ownPlace(shown.layer, shown.grid, shown.layer.queries.length - 1) < 0) return;
    const { left, top, width, height } = this.frame.getBoundingClientRect();
    const { rows, columns } = shown.grid;
    const at = (share: number, count: number): number => clamp(Math.floor(share * count), 0, count - 1);
    const place = at((event.clientY - top) / height, rows) * columns + at((event.clientX - left) / width, columns);
    this.pick(firstPlace(shown.layer, shown.grid) + place);
  }

  private name(layer: Layer): void {
    this.stop();
    this.scrubber.max = String(layer.queries.length - 1);
    this.buttons = layer.queries.map((token, place) => {
      const made = button("", { class: "word", "aria-pressed": "false" }, () => this.pick(place));
      made.append(isolated(token));
      made.addEventListener("pointerenter", (event) => event.pointerType === "mouse" && !this.timer && this.pick(place));
      return made;
    });
    this.words.replaceChildren(...this.buttons);
  }

  private toggle(): void {
    if (this.timer) {
      this.stop();
      return;
    }
    this.play.textContent = "Stop";
    const last = Number(this.scrubber.max);
    let at = Number(this.scrubber.value) >= last ? -1 : Number(this.scrubber.value) - 1;
    const next = (): void => {
      at = clamp(at + 1, 0, last);
      this.pick(at);
      if (at === last) this.stop();
    };
    this.timer = window.setInterval(next, BEAT);
    next();
  }
}

function boxes(place: number, { rows, columns }: Grid): UnitBox[] {
  if (place < 0) return [];
  const [row, column] = [Math.floor(place / columns), place % columns];
  return [[column / columns, row / rows, (column + 1) / columns, (row + 1) / rows]];
}
