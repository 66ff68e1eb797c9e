/* Everything a link carries: what was asked, of whom, what is looked at and what was changed. */
import type { Edit } from "./api";
import { readChoice, writeChoice } from "./fragment";
import type { Choice } from "./choice";

export type Mode = "look" | "calculate" | "change" | "beside";
const MODES: readonly string[] = ["look", "calculate", "change", "beside"];

/* A picture is a data address. */
export interface Asked {
  run: string;
  text: string;
  second: string;
  target: string;
  to: string;
  picture: string;
}

export interface State {
  mode: Mode;
  asked: Asked;
  beside: Asked | null;
  choice: Partial<Choice>;
  edits: Edit[];
}

const FIELDS = ["run", "text", "second", "target", "to", "picture"] as const;
const LINKED_PICTURE = 24_000; /* characters: a longer address is cut by programs that pass it on */

export function readState(given: URLSearchParams): State {
  const mode = given.get("mode");
  return {
    mode: mode && MODES.includes(mode) ? (mode as Mode) : "look",
    asked: readAsked(given, ""),
    beside: given.has("run-2") ? readAsked(given, "-2") : null,
    choice: readChoice(given),
    edits: given.getAll("edit").flatMap(readEdit),
  };
}

export function writeState(state: State): URLSearchParams {
  const into = new URLSearchParams();
  writeAsked(into, state.asked, "");
  if (state.mode !== "look") into.set("mode", state.mode);
  if (state.beside && state.mode === "beside") writeAsked(into, state.beside, "-2");
  if (state.choice.layer) writeChoice(into, { head: -1, view: "lines", query: null, key: null, layer: "", ...state.choice });
  for (const edit of state.edits) into.append("edit", writeEdit(edit));
  return into;
}

export const fitsLink = (asked: Asked): boolean => asked.picture.length <= LINKED_PICTURE;

function readAsked(given: URLSearchParams, suffix: string): Asked {
  const found = Object.fromEntries(FIELDS.map((field) => [field, given.get(field + suffix) ?? ""])) as unknown as Asked;
  if (!/^data:image\/[a-z+.-]+;base64,[A-Za-z0-9+/=]*$/.test(found.picture)) found.picture = "";
  return found;
}

function writeAsked(into: URLSearchParams, asked: Asked, suffix: string): void {
  for (const field of FIELDS) {
    if (asked[field] && (field !== "picture" || fitsLink(asked))) into.set(field + suffix, asked[field]);
  }
}

/* layer~head~t2.5 or layer~head~query~key~w0; an asterisk means all of them. */
export function writeEdit(edit: Edit): string {
  const all = (place: number | null): string => (place === null ? "*" : String(place));
  const start = `${edit.layer}~${all(edit.head)}~`;
  return "temperature" in edit ? `${start}t${edit.temperature}` : `${start}${all(edit.query)}~${all(edit.key)}~w${edit.weights}`;
}

export function readEdit(text: string): Edit[] {
  const found = /^([\w.]+)~(\*|\d+)~(?:t([\d.]+)|(\*|\d+)~(\*|\d+)~w([\d.]+))$/.exec(text);
  if (!found) return [];
  const [, layer, head, temperature, query, key, weights] = found;
  const place = (one: string | undefined): number | null => (one === undefined || one === "*" ? null : Number(one));
  if (temperature) return Number(temperature) > 0 ? [{ layer: layer!, head: place(head), temperature: Number(temperature) }] : [];
  return [{ layer: layer!, head: place(head), query: place(query), key: place(key), weights: Number(weights) }];
}
