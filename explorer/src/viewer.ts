/* The component: choose attention, layer, head and view; point at tokens; take the picture away as a file. */
import { Choices } from "./choices";
import { button, clamp, element, isolated, number, strong } from "./dom";
import { type Aim, type Figure, NOWHERE, sameAim, type Shown } from "./figure";
import { fileName, save } from "./files";
import { GridFigure, GridView, gridShown } from "./grid";
import { CanvasInk, type Ink, SvgInk } from "./ink";
import { Lines } from "./lines";
import { Matrix } from "./matrix";
import { css, onTheme, type Palette, paletteOf } from "./palette";
import { PictureView } from "./picture";
import { clearest, counterpart, firstPlace, headWords, largestOf, type Layer, MEAN, matrixOf, type Seen, sentenceOf, strongest } from "./seen";

export type View = "lines" | "matrix" | "picture" | "grid";

/* What is chosen; a view or token that the data have not is left out. */
export interface Choice {
  layer: string;
  head: number;
  view: View;
  query: number | null;
  key: number | null;
}

export interface Listening {
  changed?: (choice: Choice) => void;
  /* pointed at, or no longer: for another viewer beside this one */
  aimed?: (aim: Aim) => void;
  /* the address that opens the same state again */
  link?: () => string;
  /* what the link cannot carry */
  lost?: () => string;
}

const SHARPEST = 2e7; /* pixels of a canvas that every browser takes */
const LONG = 48; /* tokens from which a matrix says more than lines do */

export class Viewer {
  readonly root: HTMLElement;
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
  private readonly status = element("span", { class: "quiet", role: "status" });
  private readonly byGroup = new Choices<string>("Attention", (group) => this.chooseGroup(group));
  private readonly byLayer = new Choices<string>("Layer", (layer) => this.choose({ layer }));
  private readonly byHead = new Choices<number>("Head", (head) => this.choose({ head }));
  private readonly byView = new Choices<View>("View", (view) => this.choose({ view }));
  private seen: Seen = { layers: [], grid: null };
  private address = "";
  private choice: Choice = { layer: "", head: MEAN, view: "lines", query: null, key: null };
  private opened: View = "lines";
  private hovered: Aim = NOWHERE;
  private palette!: Palette;
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
    root.append(this.controls, this.caption, this.readout, body, this.hint(), this.tools(), this.details);
    this.palette = paletteOf();
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

  /* ---- drawing ---- */

  private get canPicture(): boolean {
    return this.address !== "" && firstPlace(this.layer, this.seen.grid) >= 0;
  }

  private get aimNow(): Aim {
    const { query, key } = this.choice;
    return this.hovered.query !== null || this.hovered.key !== null ? this.hovered : { query, key };
  }

  private get shown(): Shown {
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
    const { layer, choice } = this;
    const { query, key } = this.aimNow;
    if (choice.view === "grid" || choice.view === "picture") {
      this.readout.textContent = choice.view === "grid" ? "Each square is one head, rows look at columns. Open one to look closer." : "";
      return;
    }
    const matrixQK = matrixOf(layer, choice.head);
    if (query !== null && key !== null) {
      const weight = matrixQK[query * layer.keys.length + key]!;
      this.readout.replaceChildren(strong(layer.queries[query]!), "  looks at  ", strong(layer.keys[key]!), `  with weight ${number(weight)}`);
    } else if (query !== null || key !== null) {
      const side = query !== null ? "query" : "key";
      const [own, others] = query !== null ? [layer.queries[query]!, layer.keys] : [layer.keys[key!]!, layer.queries];
      const list = strongest(layer, matrixQK, side, (query ?? key)!, 3).flatMap(({ other, weight }, order) => [
        order ? ",  " : "",
        strong(others[other]!),
        ` ${number(weight)}`,
      ]);
      this.readout.replaceChildren(strong(own), query !== null ? "  looks at  " : "  is looked at by  ", ...list);
    } else this.readout.textContent = "Point at a word to see where it looks; click to keep it.";
  }

  private drawTable(): void {
    const { layer, details } = this;
    if (!details.open) return;
    const matrixQK = matrixOf(layer, this.choice.head);
    const head = element("tr", {}, ...["Query", "First", "Second", "Third"].map((text) => element("th", { scope: "col" }, text)));
    const rows = layer.queries.map((query, place) =>
      element(
        "tr",
        {},
        element("th", { scope: "row" }, isolated(query)),
        ...strongest(layer, matrixQK, "query", place, 3).map(({ other, weight }) => element("td", {}, isolated(layer.keys[other]!), `  ${number(weight)}`)),
      ),
    );
    const table = element("table", {}, element("thead", {}, head), element("tbody", {}, ...rows));
    details.querySelector(".scroll")?.remove();
    details.append(element("div", { class: "scroll" }, table));
  }

  private hint(): HTMLElement {
    const key = (text: string): HTMLElement => element("kbd", {}, text);
    return element(
      "p",
      { class: "hint" },
      ...[key("←"), " ", key("→"), " head  ", key("↑"), " ", key("↓"), " layer  ", key("J"), " ", key("K"), " word  ", key("+"), " ", key("−"), " zoom  "],
      ...[key("Esc"), " none, while the picture has the focus"],
    );
  }

  /* ---- pointer and keys ---- */

  private listen(): void {
    const { canvas, stage } = this;
    const touching = new Map<number, { x: number; y: number }>();
    let dragged = 0;
    const place = (event: { clientX: number; clientY: number }): [number, number] => {
      const box = canvas.getBoundingClientRect();
      return [event.clientX - box.left, event.clientY - box.top];
    };
    const point = (event: PointerEvent): void => {
      const aim = this.figure.at(...place(event));
      if (sameAim(aim, this.hovered)) return;
      this.hovered = aim;
      this.draw();
      this.say();
      this.listening.aimed?.(aim);
    };
    canvas.addEventListener("pointerdown", (event) => {
      touching.set(event.pointerId, { x: event.clientX, y: event.clientY });
      dragged = 0;
      if (this.choice.view === "matrix" && this.matrix.zoom > 1) canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointermove", (event) => {
      const before = touching.get(event.pointerId);
      if (!before || this.choice.view !== "matrix" || (this.matrix.zoom === 1 && touching.size < 2)) {
        point(event);
        return;
      }
      const [dx, dy] = [event.clientX - before.x, event.clientY - before.y];
      if (touching.size === 2) {
        const other = [...touching].find(([id]) => id !== event.pointerId)![1];
        const apart = (one: { x: number; y: number }): number => Math.hypot(one.x - other.x, one.y - other.y) || 1;
        const middle = { clientX: (event.clientX + other.x) / 2, clientY: (event.clientY + other.y) / 2 };
        this.matrix.enlarge(apart({ x: event.clientX, y: event.clientY }) / apart(before), ...place(middle));
      } else this.matrix.move(dx, dy);
      touching.set(event.pointerId, { x: event.clientX, y: event.clientY });
      dragged += Math.abs(dx) + Math.abs(dy);
      this.draw();
    });
    const left = (event: PointerEvent): void => {
      touching.delete(event.pointerId);
      if (event.type === "pointerup" || sameAim(this.hovered, NOWHERE)) return;
      this.hovered = NOWHERE;
      this.draw();
      this.say();
      this.listening.aimed?.(NOWHERE);
    };
    for (const name of ["pointerup", "pointercancel", "pointerleave"] as const) canvas.addEventListener(name, left);
    canvas.addEventListener("click", (event) => {
      if (dragged < 6) this.pin(this.figure.at(...place(event)));
    });
    canvas.addEventListener("dblclick", (event) => {
      if (this.choice.view !== "matrix") return;
      this.matrix.enlarge(2, ...place(event));
      this.draw();
    });
    canvas.addEventListener(
      "wheel",
      (event) => {
        /* only with Ctrl, which is also what a pinch on a touchpad says: the wheel alone scrolls the page */
        if (this.choice.view !== "matrix" || !event.ctrlKey) return;
        event.preventDefault();
        this.matrix.enlarge(Math.exp(-event.deltaY / 300), ...place(event));
        this.draw();
      },
      { passive: false },
    );
    stage.addEventListener("keydown", (event) => {
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

  /* ---- files ---- */

  private tools(): HTMLElement {
    const tools = element("div", { class: "tools", role: "group", "aria-label": "Take it away" });
    tools.append(
      button("PNG", { title: "Download the picture as PNG" }, () => void this.savePng()),
      button("SVG", { title: "Download the picture as SVG" }, () => this.saveSvg()),
      button("JSON", { title: "Download the weights as JSON" }, () => this.saveJson()),
    );
    const { link } = this.listening;
    if (link) {
      tools.append(
        button("Copy link", { title: "Copy an address that opens exactly this" }, () => {
          const copied = navigator.clipboard?.writeText(link()) ?? Promise.reject(new Error("no clipboard"));
          copied.then(
            () => this.tell(`Link copied${this.listening.lost?.() ?? ""}.`),
            () => this.tell("The address bar holds the link."),
          );
        }),
      );
    }
    tools.append(this.status);
    return tools;
  }

  private tell(text: string): void {
    this.status.textContent = text;
    setTimeout(() => (this.status.textContent = ""), 4000);
  }

  private get name(): string {
    const { layer, head, view } = this.choice;
    if (view === "grid") return "attention-all-heads";
    return fileName("attention", layer, this.layer.heads > 1 ? (head === MEAN ? "mean" : `head-${head}`) : "", view).replace("--", "-");
  }

  /* The figure for a file; of a picture that is lit, an SVG is the chosen head as a matrix. */
  private drawn<Kind extends Ink>(make: (width: number, height: number) => Kind): Kind {
    const { view } = this.choice;
    const whole = view === "grid";
    const { layers } = this.seen;
    const figure: Figure = view === "lines" ? new Lines() : whole ? new GridFigure(layers) : new Matrix();
    const shown = whole ? gridShown(layers, this.shown) : this.shown;
    const size = figure.lay(shown, Math.max(640, this.stage.clientWidth), this.ink.family);
    const width = Math.max(size.width, 460);
    const ink = make(width, size.height + 34);
    ink.text(whole ? "All layers and heads" : sentenceOf(this.layer, this.choice.head), 12, size.height + 16, { size: 12, colour: this.palette.quiet });
    figure.draw(ink, shown);
    return ink;
  }

  private async savePng(): Promise<void> {
    const canvas = this.choice.view === "picture" ? this.picture.drawn : document.createElement("canvas");
    if (this.choice.view !== "picture") {
      this.drawn((width, height) => {
        const scale = Math.min(2, Math.sqrt(SHARPEST / (width * height)));
        [canvas.width, canvas.height] = [width * scale, height * scale];
        const context = canvas.getContext("2d")!;
        context.scale(scale, scale);
        context.fillStyle = css(this.palette.paper);
        context.fillRect(0, 0, width, height);
        return new CanvasInk(context, this.ink.family, this.palette);
      });
    }
    const made = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, "image/png"));
    if (made) save(`${this.name}.png`, made);
    else this.tell("This picture is too large for a PNG.");
  }

  private saveSvg(): void {
    const ink = this.drawn((width, height) => new SvgInk(this.ink.family, this.palette, width, height));
    save(`${this.name}.svg`, new Blob([ink.markup], { type: "image/svg+xml" }));
  }

  private saveJson(): void {
    const { layer } = this;
    const { head } = this.choice;
    const matrixQK = matrixOf(layer, head);
    const keys = layer.keys.length;
    const rows = layer.queries.map((_, query) => Array.from(matrixQK.subarray(query * keys, (query + 1) * keys), (one) => Number(one.toFixed(5))));
    const data = { layer: layer.name, head: layer.heads === 1 ? 0 : head === MEAN ? null : head, heads: headWords(head, layer.heads), queries: layer.queries, keys: layer.keys, weights: rows };
    save(`${this.name}.json`, new Blob([`${JSON.stringify(data, null, 1)}\n`], { type: "application/json" }));
  }
}
