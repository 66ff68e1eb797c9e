/* What if: changes to the attention, and what became of the output. */
import { type Changed, changed, type Piece } from "./align";
import type { Edit } from "./api";
import { Choices } from "./choices";
import { button, element, isolated, number } from "./dom";
import type { Pane, Showing } from "./pane";
import { difference, moved, MEAN } from "./seen";

const STEPS = 24; /* of the slider, from a quarter to four times */
const toTemperature = (step: number): number => Number((4 ** ((2 * step) / STEPS - 1)).toFixed(2));

export class ChangePanel {
  readonly element = element("section", { class: "panel change", "aria-label": "What if" });
  private readonly list = element("ul", { class: "edits", "aria-label": "Changes" });
  private readonly head = button("", { class: "small" }, () => this.add(this.headEdit));
  private readonly edge = button("", { class: "small" }, () => this.edgeEdit && this.add(this.edgeEdit));
  private readonly clear = button("Undo all", { class: "small" }, () => this.set([]));
  private readonly slider = element("input", { type: "range", min: 0, max: STEPS, step: 1, value: STEPS / 2 });
  private readonly warmth = element("output", {}, "1.00");
  private readonly outputs = element("div", { class: "outputs", "aria-live": "polite" });
  private readonly layers = element("div", { class: "moved" });
  private readonly showing: Choices<Showing>;
  private shown: Showing = "after";

  constructor(
    private readonly pane: Pane,
    private readonly edited: () => void,
  ) {
    this.showing = new Choices<Showing>("Show the attention", (showing) => {
      this.shown = showing;
      pane.show(showing);
      this.update();
    });
    const warmth = element("label", { class: "warmth" }, element("span", {}, "Temperature of this layer"), this.slider, this.warmth);
    this.element.append(
      element("p", { class: "quiet" }, "Choose a layer and a head below, or click a word and one it looks at, and change what the model attends to."),
      element("div", { class: "actions" }, this.head, this.edge, warmth, this.clear),
      this.list,
      this.outputs,
      element("div", { class: "what-moved" }, this.layers, this.showing.element),
    );
    this.slider.addEventListener("input", () => (this.warmth.textContent = number(toTemperature(Number(this.slider.value)), 2)));
    this.slider.addEventListener("change", () => this.warm(toTemperature(Number(this.slider.value))));
  }

  /* After a choice or an answer. */
  update(): void {
    const { viewer, edits, before, after } = this.pane;
    if (!viewer.layers.length) return;
    const { layer, chosen } = viewer;
    const whole = chosen.head === MEAN && layer.heads > 1;
    this.head.textContent = layer.heads === 1 ? "Switch off this layer" : whole ? `Switch off all ${layer.heads} heads` : `Switch off head ${chosen.head}`;
    const { edgeEdit } = this;
    this.edge.disabled = !edgeEdit;
    this.edge.replaceChildren("Cut ", ...(edgeEdit ? this.arrow(chosen.query!, chosen.key!) : ["one edge"]));
    const warmed = edits.find((edit) => "temperature" in edit && edit.layer === layer.name);
    const temperature = warmed && "temperature" in warmed ? warmed.temperature : 1;
    this.slider.value = String(Math.round((Math.log(temperature) / Math.log(4) + 1) * (STEPS / 2)));
    this.warmth.textContent = number(temperature, 2);
    this.clear.hidden = !edits.length;
    this.list.replaceChildren(...edits.map((edit) => this.item(edit)));
    this.showing.show(
      (["after", "before", "difference"] as const).map((value) => ({ value, label: value })),
      this.shown,
    );
    this.showing.element.hidden = !after;
    const [old, now] = [before?.text ?? null, (after ?? before)?.text ?? null];
    this.outputs.replaceChildren(...(after ? said(old, now) : []));
    this.layers.replaceChildren(...(before && after ? this.bars() : []));
  }

  private set(edits: Edit[]): void {
    this.pane.edits = edits;
    if (!edits.length) this.shown = "after";
    this.edited();
    void this.pane.run();
    this.update();
  }

  private add(edit: Edit): void {
    const text = JSON.stringify(edit);
    this.set([...this.pane.edits.filter((one) => JSON.stringify(one) !== text), edit]);
  }

  private warm(temperature: number): void {
    const { name } = this.pane.viewer.layer;
    const others = this.pane.edits.filter((edit) => !("temperature" in edit && edit.layer === name));
    this.set(temperature === 1 ? others : [...others, { layer: name, head: null, temperature }]);
  }

  private get headEdit(): Edit {
    const { layer, chosen } = this.pane.viewer;
    return { layer: layer.name, head: chosen.head === MEAN ? null : chosen.head, query: null, key: null, weights: 0 };
  }

  private get edgeEdit(): Edit | null {
    const { chosen } = this.pane.viewer;
    return chosen.query === null || chosen.key === null ? null : { ...this.headEdit, query: chosen.query, key: chosen.key, weights: 0 };
  }

  private arrow(query: number, key: number): (Node | string)[] {
    const layer = this.pane.viewer.layer;
    return [isolated(layer.queries[query] ?? `${query}`), " → ", isolated(layer.keys[key] ?? `${key}`)];
  }

  private item(edit: Edit): HTMLElement {
    const layer = this.pane.before?.seen.layers.find((one) => one.name === edit.layer);
    const head = edit.head === null ? ((layer?.heads ?? 1) > 1 ? ", all heads" : "") : `, head ${edit.head}`;
    const token = (tokens: string[] | undefined, place: number): HTMLElement => isolated(tokens?.[place] ?? String(place));
    const what: (Node | string)[] =
      "temperature" in edit
        ? [`temperature ${number(edit.temperature, 2)}`]
        : edit.query === null || edit.key === null
          ? ["switched off"]
          : ["no ", token(layer?.queries, edit.query), " → ", token(layer?.keys, edit.key)];
    const remove = button("×", { "aria-label": "Undo this change", title: "Undo this change" }, () => this.set(this.pane.edits.filter((one) => one !== edit)));
    return element("li", {}, element("span", {}, `${edit.layer}${head}: `, ...what), remove);
  }

  private bars(): HTMLElement[] {
    const [before, after] = [this.pane.before!.seen, this.pane.after!.seen];
    const changes = difference(before, after).layers.map((layer) => ({ layer, part: moved(layer) }));
    const rows = changes.map(({ layer, part }) => {
      const filled = element("span", { class: "fill" });
      filled.style.width = `${Math.min(1, part) * 100}%`;
      const show = button(layer.name, { class: "link" }, () => this.pane.viewer.choose({ layer: layer.name }));
      return element("tr", {}, element("th", { scope: "row" }, show), element("td", { class: "weight" }, element("span", { class: "bar" }, filled), element("span", { class: "number" }, number(part, 2))));
    });
    const gone = after.layers.length - changes.length;
    const note = gone ? [element("p", { class: "quiet" }, `${gone} layers read other words now, and cannot be compared.`)] : [];
    return [element("h3", {}, "How much attention moved"), element("table", {}, element("tbody", {}, ...rows)), ...note];
  }
}

/* Old and new output side by side, with the words that went and came. */
function said(old: string | null, now: string | null): HTMLElement[] {
  if (old === null || now === null) return [element("p", { class: "quiet" }, "This run writes nothing: what changes is its attention.")];
  const words: Changed = changed(old, now);
  const line = (name: string, pieces: Piece[], mark: "del" | "ins"): HTMLElement =>
    element(
      "div",
      {},
      element("span", { class: "name" }, name),
      element("p", { class: "output", dir: "auto" }, ...pieces.flatMap((piece) => [piece.changed ? element(mark, {}, piece.text) : piece.text, " "])),
    );
  const same = old === now;
  return [line("Before", words.before, "del"), line(same ? "After: the same" : "After", words.after, "ins")];
}
