/* A row of choices of which one is taken: radio buttons, so that keyboard and screen reader know them. */
import { element } from "./dom";

export interface Option<Value> {
  value: Value;
  label: string;
  title?: string;
}

let groups = 0;

export class Choices<Value> {
  readonly element: HTMLFieldSetElement;
  private readonly row = element("div", { class: "choices" });
  private readonly name = `choice-${groups++}`;
  private options: Option<Value>[] = [];
  private inputs: HTMLInputElement[] = [];

  constructor(
    title: string,
    private readonly pick: (value: Value) => void,
    name = title.toLowerCase().replaceAll(" ", "-"),
  ) {
    this.element = element("fieldset", { "data-choice": name }, element("legend", {}, title), this.row);
  }

  /* The inputs stay the same while the options do, and with them the focus. */
  show(options: Option<Value>[], chosen: Value): void {
    const same = options.length === this.options.length && options.every((one, place) => one.label === this.options[place]!.label);
    this.options = options;
    if (!same) {
      this.inputs = options.map((_, place) => {
        const input = element("input", { type: "radio", name: this.name });
        input.addEventListener("change", () => this.pick(this.options[place]!.value));
        return input;
      });
      this.row.replaceChildren(
        ...options.map((option, place) => element("label", { title: option.title }, this.inputs[place]!, element("span", {}, option.label))),
      );
    }
    this.inputs.forEach((input, place) => (input.checked = options[place]!.value === chosen));
    this.element.hidden = options.length < 2;
  }
}
