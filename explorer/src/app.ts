/* The page of the service: one pane to look, calculate and change, or two beside each other. */
import "../../src/saccade/view/static/base.css";
import "./viewer.css";
import "./app.css";
import { aligned } from "./align";
import { type Model, models } from "./api";
import { Calculator } from "./calculator";
import { ChangePanel } from "./change";
import { Choices } from "./choices";
import { complaint } from "./complaint";
import { button, element } from "./dom";
import { type Aim, NOWHERE } from "./figure";
import { fragment, keep, settle } from "./fragment";
import { Pane } from "./pane";
import { onTheme, paletteOf } from "./palette";
import { MEAN } from "./seen";
import { type Mode, readState, type State, writeState } from "./state";

const MODES: { value: Mode; label: string }[] = [
  { value: "look", label: "Look" },
  { value: "calculate", label: "Calculator" },
  { value: "change", label: "What if" },
  { value: "beside", label: "Side by side" },
];

class App {
  private mode: Mode = "look";
  private readonly panes = element("div", { class: "panes" });
  private readonly modes = new Choices<Mode>("Mode", (mode) => this.enter(mode));
  private readonly one: Pane;
  private readonly two: Pane;
  private twoAsked = false;
  private readonly change: ChangePanel;
  private readonly calculator = new Calculator();
  private readonly queries = new Choices<number>("Query: the word that looks", (query) => this.one.viewer.choose({ query, key: null }), "query");
  private readonly calculating = element("section", { class: "panel calculate", "aria-label": "Calculator" });
  private readonly problem = element("p", { class: "alert", role: "alert", hidden: true });
  private detail: AbortController | null = null;
  private detailOf = "";

  constructor(
    private readonly root: HTMLElement,
    all: Model[],
  ) {
    this.one = new Pane(all, "Run", {
      link: settle,
      lost: () => (this.one.fitsLink && (this.mode !== "beside" || this.two.fitsLink) ? "" : ", without the picture, which is too large for one"),
      changed: () => this.chosen(),
      asked: () => {
        this.detailOf = ""; /* other numbers are to come */
        this.panels();
        this.keep();
      },
      answered: () => {
        this.panels();
        this.chosen();
        this.share();
      },
      aimed: (aim) => this.mirror(aim, this.one, this.two),
    });
    this.two = new Pane(all, "Beside it", {
      changed: () => this.share(),
      asked: () => this.keep(),
      answered: () => {
        this.two.viewer.follow(this.one.viewer);
        this.share();
      },
      aimed: (aim) => this.mirror(aim, this.two, this.one),
    });
    this.change = new ChangePanel(this.one, () => this.keep());
    this.calculating.append(this.queries.element, this.problem, this.calculator.element);
    this.one.said.after(this.change.element);
    this.one.element.append(this.calculating);
    this.panes.append(this.one.element, this.two.element);
    this.modes.show(MODES, "look");
    this.modes.element.classList.add("modes");
    root.replaceChildren(
      element("header", {}, element("h1", {}, "Saccade"), this.modes.element, this.theme()),
      element("main", { class: "explorer" }, this.panes),
    );
    addEventListener("hashchange", () => this.restore(readState(fragment())));
    onTheme(() => this.calculate(true));
    this.restore(readState(fragment()));
  }

  private restore(state: State): void {
    this.mode = state.mode;
    this.twoAsked = state.beside !== null;
    this.one.set(state.asked, state.choice, state.edits);
    if (state.beside) this.two.set(state.beside);
    this.enter(state.mode);
  }

  private enter(mode: Mode): void {
    this.mode = mode;
    this.root.dataset["mode"] = mode;
    this.modes.show(MODES, mode);
    this.two.element.hidden = mode !== "beside";
    this.panels();
    this.one.viewer.root.classList.toggle("bare", mode === "calculate");
    if (mode === "beside" && !this.twoAsked) {
      this.twoAsked = true;
      this.two.set(this.one.now, this.one.viewer.layers.length ? this.one.viewer.chosen : {});
    }
    this.chosen();
  }

  /* The panel of the mode, where there is something to look at. */
  private panels(): void {
    const empty = !this.one.viewer.layers.length;
    this.change.element.hidden = empty || this.mode !== "change";
    this.calculating.hidden = empty || this.mode !== "calculate";
  }

  /* Layer, head, view or word changed. */
  private chosen(): void {
    this.keep();
    if (this.mode === "change") this.change.update();
    if (this.mode === "calculate") this.calculate();
    if (this.mode === "beside") {
      this.two.viewer.follow(this.one.viewer);
      this.share();
    }
  }

  private keep(): void {
    const { viewer } = this.one;
    /* while the first answer is on its way, the address still says what is wanted */
    if (!viewer.layers.length) return;
    keep(
      writeState({
        mode: this.mode,
        asked: this.one.now,
        beside: this.mode === "beside" ? this.two.now : null,
        choice: viewer.chosen,
        edits: this.one.edits,
      }),
    );
  }

  private calculate(again = false): void {
    const { viewer } = this.one;
    if (this.mode !== "calculate" || !viewer.layers.length) return;
    const { layer, chosen } = viewer;
    /* numbers are those of one head; choosing it leads here again */
    if (chosen.head === MEAN && layer.heads > 1) {
      viewer.choose({ head: 0 });
      return;
    }
    const query = chosen.query ?? 0;
    this.queries.show(
      layer.queries.map((token, value) => ({ value, label: token })),
      query,
    );
    const detail = { layer: layer.name, head: chosen.head === MEAN ? 0 : chosen.head, query };
    const wanted = JSON.stringify(detail);
    if (wanted === this.detailOf && !again) return;
    this.detailOf = wanted;
    this.detail?.abort();
    const { signal } = (this.detail = new AbortController());
    this.one
      .calculate(detail, signal)
      .then((found) => {
        this.problem.hidden = found !== null;
        if (found) this.calculator.show(found, paletteOf());
        else this.problem.textContent = "This run tells no numbers of its attention.";
      })
      .catch((error: unknown) => {
        if (signal.aborted) return;
        this.problem.hidden = false;
        this.problem.textContent = error instanceof Error ? error.message : String(error);
      });
  }

  /* A word pointed at on one side is pointed at on the other, where the texts have it in common. */
  private mirror(aim: Aim, from: Pane, to: Pane): void {
    if (this.mode !== "beside" || !from.viewer.layers.length || !to.viewer.layers.length) return;
    const [here, there] = [from.viewer.layer, to.viewer.layer];
    const query = aim.query === null ? null : aligned(here.queries, there.queries)[aim.query]!;
    const key = aim.key === null ? null : aligned(here.keys, there.keys)[aim.key]!;
    to.viewer.aim((aim.query !== null && query === null) || (aim.key !== null && key === null) ? NOWHERE : { query, key });
  }

  private share(): void {
    const most = this.mode === "beside" ? Math.max(this.one.viewer.largest, this.two.viewer.largest) : 0;
    this.one.viewer.shareScale(most);
    this.two.viewer.shareScale(most);
  }

  private theme(): HTMLElement {
    const order = ["auto", "light", "dark"];
    const words: Record<string, string> = { auto: "◐ Auto", light: "○ Light", dark: "● Dark" };
    const made = button("", { class: "small theme", title: "Light or dark" }, () => set(order[(order.indexOf(now()) + 1) % order.length]!));
    const now = (): string => document.documentElement.dataset["theme"] ?? "auto";
    const set = (theme: string): void => {
      if (theme === "auto") delete document.documentElement.dataset["theme"];
      else document.documentElement.dataset["theme"] = theme;
      made.textContent = words[theme]!;
      localStorage.setItem("theme", theme);
    };
    const kept = localStorage.getItem("theme");
    set(kept && order.includes(kept) ? kept : "auto");
    return made;
  }
}

async function start(root: HTMLElement): Promise<void> {
  try {
    const all = await models();
    if (!all.length) throw new Error("No run of this service has attention to look at.");
    new App(root, all);
  } catch (error) {
    const parts = complaint(error, () => void start(root));
    root.replaceChildren(element("header", {}, element("h1", {}, "Saccade")), element("main", { class: "explorer" }, element("p", { class: "alert", role: "alert" }, ...parts)));
  }
}

void start(document.querySelector<HTMLElement>("#app")!);
