/* The component: choose attention, layer, head and view; point at tokens; take the picture away as a file. */
import type { Choice, Listening, View } from "./choice";
import { Choices } from "./choices";
import { button, clamp, element } from "./dom";
import { type Aim, type Figure, NOWHERE, sameAim, type Shown } from "./figure";
import { GridView } from "./grid";
import { CanvasInk } from "./ink";
import { Lines } from "./lines";
import { Matrix } from "./matrix";
import { onTheme, type Palette, paletteOf } from "./palette";
import { PictureView } from "./picture";
import { listenToPointer } from "./pointing";
import { clearest, counterpart, firstPlace, largestOf, type Layer, MEAN, matrixOf, type Seen, sentenceOf } from "./seen";
import { SHARPEST, TakeAway } from "./takeaway";
import { keysHint, readout, weightTable } from "./words";

const LONG = 48; /* tokens from which a matrix says more than lines do */

export class Viewer {
  readonly root: HTMLElement;
  palette: Palette = paletteOf();
  private readonly canvas = element("canvas", { class: "figure", role: "img" });
  private readonly stage = element(
    "div",
    { class: "stage", tabindex: 0, role: "group", "aria-label": "Attention picture. Left and right arrow: head. Up and down: layer. J and K: word. Escape: none." },
    this.canvas,
  );
  private readonly caption = element("p", { class: "caption", "aria-live": "polite" });
  private readonly readout = element("p", { class: "readout", "aria-live": "polite" });
  private readonly lines = new Lines();
  private readonly matrix = new Matrix();
  private readonly picture = new PictureView((query) => this.choose({ query, key: null }));
  private readonly grid = new GridView((layer, head) => this.choose({ layer: layer.name, head, view: this.opened }));
  private readonly zoom = element("div", { class: "zoom", role: "group", "aria-label": "Zoom" });
  private readonly details = element("details", { class: "as-table" }, element("summary", {}, "Strongest weights as a table"));
  private readonly controls = element("form", { class: "controls", "aria-label": "What is shown" });
  private readonly byGroup = new Choices<string>("Attention", (group) => this.chooseGroup(group));
  private readonly byLayer = new Choices<string>("Layer", (layer) => this.choose({ layer }));
  private readonly byHead = new Choices<number>("Head", (head) => this.choose({ head }));
  private readonly byView = new Choices<View>("View", (view) => this.choose({ view }));
  private seen: Seen = { layers: [], grid: null };
  private address = "";
  private choice: Choice = { layer: "", head: MEAN, view: "lines", query: null, key: null };
  private opened: View = "lines";
  private hovered: Aim = NOWHERE;
  private ink!: CanvasInk;
  private width = 0;
  private shared = 0;

  constructor(
    root: HTMLElement,
    private readonly listening: Listening = {},
  ) {
    this.root = root;
    root.classList.add("attention");
    this.controls.append(this.byGroup.element, this.byLayer.element, this.byHead.element, this.byView.element);
    this.controls.addEventListener("submit", (event) => event.preventDefault());
    const zoomed = (sign: string, name: string, act: () => void): HTMLButtonElement =>
      button(sign, { "aria-label": name, title: name }, () => {
        act();
        this.draw();
      });
    this.zoom.append(
      zoomed("+", "Enlarge", () => this.matrix.enlarge(1.6)),
      zoomed("−", "Make smaller", () => this.matrix.enlarge(1 / 1.6)),
      zoomed("⤢", "Whole matrix", () => this.matrix.whole()),
    );
    const body = element("div", { class: "body" }, this.stage, this.zoom, this.picture.element, this.grid.element);
    root.append(this.controls, this.caption, this.readout, body, keysHint(), new TakeAway(this, listening).element, this.details);
    this.newInk();
    this.listen();
  }

  /* ---- from outside ---- */

  show(seen: Seen, wanted: Partial<Choice> = {}, address = ""): void {
    this.seen = seen;
    this.address = address;
    this.hovered = NOWHERE;
    this.root.classList.toggle("empty", !seen.layers.length);
    if (!seen.layers.length) return;
    const first = clearest(seen.layers);
    const usual: View = firstPlace(first, seen.grid) >= 0 && address ? "picture" : Math.max(first.queries.length, first.keys.length) > LONG ? "matrix" : "lines";
    this.choice = { layer: first.name, head: MEAN, view: usual, query: null, key: null };
    this.choose(wanted);
  }

  choose(change: Partial<Choice>): void {
    const before = this.layer;
    const next = { ...this.choice, ...change };
    this.choice = next;
    const layer = this.layer;
    next.layer = layer.name;
    if (!Number.isInteger(next.head) || next.head < MEAN || next.head >= layer.heads || layer.heads === 1) next.head = MEAN;
    if (next.view === "picture" && !this.canPicture) next.view = "matrix";
    if (next.view !== "grid") this.opened = next.view;
    if (layer !== before && (layer.queries !== before.queries || layer.keys !== before.keys)) {
      const same = (one: string[], two: string[]): boolean => one.length === two.length && one.every((token, place) => token === two[place]);
      if (!same(layer.queries, before.queries)) next.query = change.query ?? null;
      if (!same(layer.keys, before.keys)) next.key = change.key ?? null;
      this.matrix.whole();
    }
    if (next.query !== null && !(next.query >= 0 && next.query < layer.queries.length)) next.query = null;
    if (next.key !== null && !(next.key >= 0 && next.key < layer.keys.length)) next.key = null;
    if (next.view === "picture" && next.query === null) next.query = 0;
    this.hovered = NOWHERE;
    this.update();
    this.listening.changed?.({ ...next });
  }

  get chosen(): Choice {
    return { ...this.choice };
  }

  get layer(): Layer {
    return this.seen.layers.find((one) => one.name === this.choice.layer) ?? clearest(this.seen.layers);
  }

  get layers(): Layer[] {
    return this.seen.layers;
  }

  /* Aim from outside, as when another viewer is pointed at. */
  aim(aim: Aim): void {
    if (sameAim(aim, this.hovered)) return;
    this.hovered = aim;
    this.draw();
    this.say();
  }

  /* The choice of another viewer, as far as these data have it. */
  follow(other: Viewer): void {
    if (!this.seen.layers.length || !other.seen.layers.length) return;
    const layer = counterpart(other.layer, this.seen.layers);
    const { head, view } = other.choice;
    this.choose({ layer: layer.name, head: head < layer.heads ? head : MEAN, view });
  }

  get largest(): number {
    return this.seen.layers.length ? largestOf(matrixOf(this.layer, this.choice.head)) : 0;
  }

  /* The weight that is drawn full, where two pictures are to be compared. */
  shareScale(most: number): void {
    if (most === this.shared) return;
    this.shared = most;
    this.draw();
  }

  get family(): string {
    return this.ink.family;
  }

  get stageWidth(): number {
    return this.stage.clientWidth;
  }

  get lit(): HTMLCanvasElement {
    return this.picture.drawn;
  }

  /* ---- drawing ---- */

  private get canPicture(): boolean {
    return this.address !== "" && firstPlace(this.layer, this.seen.grid) >= 0;
  }

  private get aimNow(): Aim {
    const { query, key } = this.choice;
    return this.hovered.query !== null || this.hovered.key !== null ? this.hovered : { query, key };
  }

  get shown(): Shown {
    const layer = this.layer;
    const matrixQK = matrixOf(layer, this.choice.head);
    return { layer, matrixQK, most: this.shared || largestOf(matrixQK) || 1, aim: this.aimNow };
  }

  private get figure(): Figure {
    return this.choice.view === "matrix" ? this.matrix : this.lines;
  }

  private update(): void {
    const { layer, choice } = this;
    const { layers } = this.seen;
    const groups = [...new Set(layers.map((one) => one.group))];
    const members = layers.filter((one) => one.group === layer.group);
    this.byGroup.show(groups.map((group) => ({ value: group, label: group.replace("-attention", "") })), layer.group);
    this.byLayer.show(members.map((one) => ({ value: one.name, label: one.place, title: one.words })), layer.name);
    const heads = Array.from({ length: layer.heads }, (_, head) => ({ value: head, label: String(head) }));
    this.byHead.show(layer.heads > 1 ? [{ value: MEAN, label: "mean" }, ...heads] : [], choice.head);
    const views: View[] = [...(this.canPicture ? (["picture"] as const) : []), "lines", "matrix", "grid"];
    this.byView.show(views.map((view) => ({ value: view, label: view.charAt(0).toUpperCase() + view.slice(1) })), choice.view);

    const { view } = choice;
    this.stage.hidden = view === "picture" || view === "grid";
    this.zoom.hidden = view !== "matrix";
    this.picture.element.hidden = view !== "picture";
    this.grid.element.hidden = view !== "grid";
    this.root.dataset["view"] = view;
    if (view !== "picture") this.picture.stop();
    const words = sentenceOf(layer, choice.head);
    const said = view === "grid" ? `All ${layers.length === 1 ? "heads" : "layers and heads"}` : words;
    if (this.caption.textContent !== said) this.caption.textContent = said;
    this.canvas.setAttribute(
      "aria-label",
      `${words}. ${layer.queries.length} queries, ${layer.keys.length} keys; the strongest weights are in the table below.`,
    );
    this.draw();
    this.say();
    this.drawTable();
  }

  private draw(): void {
    if (!this.seen.layers.length) return;
    const { view, head } = this.choice;
    if (view === "grid") this.grid.show(this.seen.layers, this.palette, { layer: this.layer, head });
    else if (view === "picture") this.picture.show(this.address, this.seen.grid!, this.layer, this.shown.matrixQK, this.aimNow.query);
    else this.drawFigure();
  }

  private drawFigure(): void {
    const { shown } = this;
    const size = this.figure.lay(shown, this.stage.clientWidth || 600, this.ink.family);
    const scale = Math.min(devicePixelRatio || 1, Math.sqrt(SHARPEST / (size.width * size.height)));
    const [wide, high] = [Math.round(size.width * scale), Math.round(size.height * scale)];
    if (this.canvas.width !== wide || this.canvas.height !== high) {
      [this.canvas.width, this.canvas.height] = [wide, high];
      this.canvas.style.width = `${size.width}px`;
      this.canvas.style.height = `${size.height}px`;
    }
    const { context } = this.ink;
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.clearRect(0, 0, size.width, size.height);
    this.figure.draw(this.ink, shown);
    this.root.classList.toggle("zoomed", this.choice.view === "matrix" && this.matrix.zoom > 1);
  }

  private newInk(): void {
    this.ink = new CanvasInk(this.canvas.getContext("2d")!, getComputedStyle(document.body).fontFamily, this.palette);
  }

  /* ---- in words ---- */

  private say(): void {
    const { view } = this.choice;
    if (view === "grid") this.readout.textContent = "Each square is one head, rows look at columns. Open one to look closer.";
    else if (view === "picture") this.readout.textContent = "";
    else this.readout.replaceChildren(...readout(this.layer, this.shown.matrixQK, this.aimNow));
  }

  private drawTable(): void {
    if (!this.details.open) return;
    this.details.querySelector(".scroll")?.remove();
    this.details.append(element("div", { class: "scroll" }, weightTable(this.layer, this.shown.matrixQK)));
  }

  /* ---- pointer and keys ---- */

  private listen(): void {
    listenToPointer(this.canvas, {
      at: (x, y) => this.figure.at(x, y),
      hover: (aim) => this.hover(aim),
      pin: (aim) => this.pin(aim),
      zoomable: () => (this.choice.view === "matrix" ? this.matrix : null),
      draw: () => this.draw(),
    });
    this.stage.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || !this.key(event.key)) return;
      event.preventDefault();
    });
    this.details.addEventListener("toggle", () => this.drawTable());
    onTheme(() => {
      this.palette = paletteOf();
      this.newInk();
      this.draw();
    });
    new ResizeObserver(() => {
      const wide = this.root.clientWidth;
      if (wide === this.width) return;
      this.width = wide;
      this.draw();
    }).observe(this.root);
  }

  private hover(aim: Aim): void {
    if (sameAim(aim, this.hovered)) return;
    this.aim(aim);
    this.listening.aimed?.(aim);
  }

  /* A click keeps a token; in the lines, a word and then one it looks at are an edge. */
  private pin(aim: Aim): void {
    const { query, key, view } = this.choice;
    if (view === "lines" && aim.key !== null && query !== null) this.choose({ key: aim.key === key ? null : aim.key });
    else if (sameAim(aim, { query, key })) this.choose(NOWHERE);
    else this.choose(aim);
  }

  private key(name: string): boolean {
    const { layer, choice } = this;
    const members = this.seen.layers.filter((one) => one.group === layer.group);
    const sideways = { ArrowLeft: -1, ArrowRight: 1 }[name];
    const upright = { ArrowUp: -1, ArrowDown: 1 }[name];
    const word = { j: 1, k: -1, J: 1, K: -1 }[name];
    const zoom = { "+": 1.6, "=": 1.6, "-": 1 / 1.6 }[name];
    if (sideways) this.choose({ head: clamp(choice.head + sideways, MEAN, layer.heads > 1 ? layer.heads - 1 : MEAN) });
    else if (upright) this.choose({ layer: members[clamp(members.indexOf(layer) + upright, 0, members.length - 1)]!.name });
    else if (word) this.choose({ query: clamp((choice.query ?? (word > 0 ? -1 : layer.queries.length)) + word, 0, layer.queries.length - 1), key: null });
    else if (name === "Escape") this.choose(NOWHERE);
    else if (zoom && choice.view === "matrix") {
      this.matrix.enlarge(zoom);
      this.draw();
    } else if (name === "0" && choice.view === "matrix") {
      this.matrix.whole();
      this.draw();
    } else return false;
    return true;
  }

  private chooseGroup(group: string): void {
    const at = this.seen.layers.filter((one) => one.group === this.layer.group).indexOf(this.layer);
    const members = this.seen.layers.filter((one) => one.group === group);
    this.choose({ layer: members[Math.min(at, members.length - 1)]!.name });
  }
}
