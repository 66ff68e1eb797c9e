/* A pane: a question to one run, what it writes, and a viewer of what it attended to. */
import { type Answer, attention, type Calculation, type Detail, type Edit, type Model, type Question, written } from "./api";
import type { Choice, Listening } from "./choice";
import { complaint, locked } from "./complaint";
import { element } from "./dom";
import { difference, type Seen } from "./seen";
import { type Asked, fitsLink } from "./state";
import { Viewer } from "./viewer";

export type Showing = "after" | "before" | "difference";

export interface PaneListening extends Listening {
  /* the question changed and was put */
  asked?: () => void;
  /* an answer came, whole */
  answered?: () => void;
}

const LARGEST = 6_000_000; /* bytes of a picture: base64 makes it larger by a third, and the service takes 8 MiB */
const NAMED: Record<string, string> = { translation: "It writes", captioning: "It says", "picture-classification": "It sees", "language-model": "It goes on" };
const PAUSE = 500; /* milliseconds after the last letter */

export class Pane {
  readonly element = element("section", { class: "pane" });
  readonly viewer: Viewer;
  /* what was seen without changes, and with them */
  before: Answer | null = null;
  after: Answer | null = null;
  edits: Edit[] = [];
  private asked: Asked = { run: "", text: "", second: "", target: "", to: "", picture: "" };
  private showing: Showing = "after";
  private wanted: Partial<Choice> = {};
  private running: AbortController | null = null;
  private timer = 0;
  private readonly form = element("form", { class: "ask panel" });
  private readonly runs: HTMLSelectElement;
  private readonly about = element("span", { class: "quiet about" });
  private readonly text = element("textarea", { rows: 2, spellcheck: "false", dir: "auto" });
  private readonly second = element("input", { type: "text", dir: "auto", placeholder: "none" });
  private readonly target = element("input", { type: "text", dir: "auto", placeholder: "its own words" });
  private readonly language = element("select");
  private readonly file = element("input", { type: "file", accept: "image/*", class: "file" });
  private readonly drop: HTMLElement;
  private readonly thumbnail = element("img", { alt: "the picture that is looked at", hidden: true });
  private readonly fields: Record<"text" | "second" | "target" | "language" | "picture", HTMLElement>;
  private readonly output = element("p", { class: "output", "aria-live": "polite", dir: "auto" });
  private readonly outputName = element("span", { class: "name" }, "It writes");
  private readonly alert = element("div", { class: "alert", role: "alert", hidden: true });
  readonly said = element("div", { class: "said" }, this.outputName, this.output);

  constructor(
    private readonly models: Model[],
    name: string,
    private readonly listening: PaneListening,
  ) {
    this.runs = element("select", {}, ...models.map((model) => element("option", { value: model.id }, model.id)));
    const field = (title: string, input: HTMLElement): HTMLElement => element("label", { class: "field" }, element("span", {}, title), input);
    this.drop = element("label", { class: "drop" }, this.file, this.thumbnail, element("span", {}, "Drop a picture here, or choose one"));
    this.fields = {
      text: field("Text", this.text),
      second: field("Second text", this.second),
      target: field("Make it write", this.target),
      language: field("Into", this.language),
      picture: this.drop,
    };
    this.fields.text.classList.add("wide");
    this.fields.language.classList.add("short");
    const run = element("label", { class: "field run" }, element("span", {}, name), this.runs, this.about);
    this.form.append(run, this.fields.picture, this.fields.text, this.fields.second, this.fields.target, this.fields.language);
    const stage = element("section", { "aria-label": "Attention" });
    this.element.append(this.form, this.alert, this.said, stage);
    this.viewer = new Viewer(stage, {
      ...listening,
      changed: (choice) => {
        this.wanted = choice;
        listening.changed?.(choice);
      },
    });
    this.viewer.show({ layers: [], grid: null });
    this.listen();
  }

  get model(): Model {
    return this.models.find((one) => one.id === this.asked.run) ?? this.models[0]!;
  }

  get question(): Question {
    const { text, second, target, to, picture } = this.asked;
    const pictured = Boolean(this.model.example.picture);
    return {
      model: this.model.id,
      input: { text: pictured ? null : text, second: second || null, picture: pictured ? picture.slice(picture.indexOf(",") + 1) : null },
      target: target || null,
      to: to || null,
    };
  }

  get now(): Asked {
    return { ...this.asked };
  }

  get fitsLink(): boolean {
    return fitsLink(this.asked);
  }

  /* Fills the form and asks. What is not given is the run's own example. */
  set(asked: Asked, wanted: Partial<Choice> = {}, edits: Edit[] = []): void {
    const known = this.models.some((one) => one.id === asked.run);
    this.asked = { ...asked, run: known ? asked.run : this.models[0]!.id };
    const { example } = this.model;
    if (!this.asked.text && example.text) this.asked = { ...this.asked, text: example.text, second: this.asked.second || (example.second ?? "") };
    this.wanted = wanted;
    this.edits = edits;
    this.fill();
    void this.run();
  }

  show(showing: Showing): void {
    this.showing = showing;
    const seen = this.seenNow;
    if (seen) this.viewer.show(seen, this.wanted, this.asked.picture);
  }

  /* Asks: without changes, and with them where there are any. */
  async run(): Promise<void> {
    this.running?.abort();
    const { signal } = (this.running = new AbortController());
    const { question, model, edits } = this;
    const nothing = model.example.picture ? !question.input.picture : !question.input.text?.trim();
    if (nothing && !this.before) this.clear();
    this.listening.asked?.();
    this.alert.hidden = true;
    this.element.removeAttribute("aria-busy");
    if (nothing) return;
    this.element.setAttribute("aria-busy", "true");
    this.outputName.textContent = question.target ? "It is made to write" : (NAMED[model.task] ?? "It answers");
    try {
      /* the words come as they are made; the whole answer says the same once more, with what was attended */
      let whole = false;
      const show = (text: string): void => void (!whole && !signal.aborted && text && this.write(text));
      const early = edits.length ? Promise.resolve() : written(model, question, show, signal).catch(() => undefined);
      const before = await attention(question, [], null, signal);
      const after = edits.length ? await attention(question, edits, null, signal).catch((error: unknown) => this.unchanged(error, signal)) : null;
      whole = true;
      [this.before, this.after] = [before, after];
      this.write((after ?? before).text);
      if (after) this.outputName.append(`, with ${edits.length} ${edits.length === 1 ? "change" : "changes"}`);
      this.show(this.showing);
      this.element.removeAttribute("aria-busy");
      this.listening.answered?.();
      await early;
    } catch (error) {
      if (!signal.aborted) this.complain(error);
    } finally {
      if (!signal.aborted) this.element.removeAttribute("aria-busy");
    }
  }

  /* A change that is refused, as one from a link may be, hides nothing of what is there without it. */
  private unchanged(error: unknown, signal: AbortSignal): null {
    if (signal.aborted) throw error;
    this.complain(error);
    return null;
  }

  async calculate(detail: Detail, signal: AbortSignal): Promise<Calculation | null> {
    return (await attention(this.question, this.edits, detail, signal)).calculation;
  }

  private get seenNow(): Seen | null {
    if (!this.before) return null;
    if (!this.after || this.showing === "before") return this.before.seen;
    return this.showing === "after" ? this.after.seen : difference(this.before.seen, this.after.seen);
  }

  /* Of another run nothing stays. */
  private clear(): void {
    this.write(null);
    this.viewer.show({ layers: [], grid: null });
  }

  private write(text: string | null): void {
    this.said.hidden = text === null;
    this.output.textContent = text;
  }

  private complain(error: unknown): void {
    if (!locked(error) && !this.before) this.clear();
    this.alert.replaceChildren(...complaint(error, () => void this.run()));
    this.alert.hidden = false;
  }

  /* ---- the form ---- */

  private fill(): void {
    const { model, asked, fields } = this;
    this.runs.value = model.id;
    this.about.textContent = `${model.preset}, ${model.parameters.toLocaleString("en")} parameters`;
    [this.text.value, this.second.value, this.target.value] = [asked.text, asked.second, asked.target];
    const pictured = Boolean(model.example.picture);
    fields.text.hidden = pictured;
    fields.picture.hidden = !pictured;
    fields.target.hidden = model.task !== "translation";
    fields.second.hidden = pictured || model.task === "translation" || model.task === "language-model";
    fields.language.hidden = !model.languages.length;
    this.language.replaceChildren(...model.languages.map((language) => element("option", { value: language }, language)));
    if (model.languages.length) this.language.value = asked.to = model.languages.includes(asked.to) ? asked.to : model.languages[0]!;
    else asked.to = "";
    this.thumbnail.hidden = !asked.picture;
    if (asked.picture) this.thumbnail.src = asked.picture;
  }

  private listen(): void {
    const changed = (wait: number): void => {
      clearTimeout(this.timer);
      this.timer = window.setTimeout(() => {
        this.asked = { ...this.asked, text: this.text.value, second: this.second.value.trim(), target: this.target.value.trim(), to: this.language.value };
        void this.run();
      }, wait);
    };
    for (const input of [this.text, this.second, this.target]) input.addEventListener("input", () => changed(PAUSE));
    this.language.addEventListener("change", () => changed(0));
    this.text.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      changed(0);
    });
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      changed(0);
    });
    this.runs.addEventListener("change", () => {
      const before = this.model;
      const after = this.models.find((one) => one.id === this.runs.value)!;
      /* a text that was not written by hand makes way for the new run's own example */
      const text = this.asked.text === (before.example.text ?? "") || before.task !== after.task ? "" : this.asked.text;
      [this.before, this.after] = [null, null];
      this.set({ ...this.asked, run: after.id, text, second: "", target: "" }, before.task === after.task ? this.wanted : {});
    });
    this.file.addEventListener("change", () => this.file.files?.[0] && void this.take(this.file.files[0]));
    for (const name of ["dragover", "dragleave", "drop"] as const) {
      this.element.addEventListener(name, (event) => {
        if (!this.model.example.picture) return;
        event.preventDefault();
        this.drop.classList.toggle("over", name === "dragover");
        const file = name === "drop" ? event.dataTransfer?.files[0] : undefined;
        if (file) void this.take(file);
      });
    }
  }

  private async take(file: File): Promise<void> {
    if (file.size > LARGEST) {
      this.complain(new Error(`${file.name} is larger than ${LARGEST / 1_000_000} MB: give a smaller picture`));
      return;
    }
    const picture = await new Promise<string>((resolve) => {
      const reader = new FileReader();
      reader.addEventListener("load", () => resolve(String(reader.result)));
      reader.readAsDataURL(file);
    });
    this.set({ ...this.asked, picture }, { ...this.wanted, query: null, key: null });
  }
}
