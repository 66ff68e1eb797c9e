/* The state of the page in the fragment of its address, so that a link opens exactly what was seen. */
import type { Choice, View } from "./choice";

const VIEWS: readonly string[] = ["lines", "matrix", "picture", "grid"];

const whole = (text: string | null): number | null => (text !== null && /^\d{1,6}$/.test(text) ? Number(text) : null);

/* Whatever stands there, what comes back is a choice or a part of one: a link may come from anybody. */
export function readChoice(given: URLSearchParams): Partial<Choice> {
  const found: Partial<Choice> = {};
  const [layer, head, view] = [given.get("layer"), whole(given.get("head")), given.get("view")];
  if (layer) found.layer = layer;
  if (head !== null) found.head = head;
  if (view && VIEWS.includes(view)) found.view = view as View;
  const [query, key] = [whole(given.get("query")), whole(given.get("key"))];
  if (query !== null) found.query = query;
  if (key !== null) found.key = key;
  return found;
}

export function writeChoice(into: URLSearchParams, choice: Choice): void {
  const set = (name: string, value: string | number | null): void => (value === null ? into.delete(name) : into.set(name, String(value)));
  set("layer", choice.layer);
  set("head", choice.head < 0 ? null : choice.head);
  set("view", choice.view);
  set("query", choice.query);
  set("key", choice.key);
}

export const fragment = (): URLSearchParams => new URLSearchParams(location.hash.slice(1));

let waiting: { state: URLSearchParams; timer: number } | null = null;

/* A moment later, and only the last of many: browsers refuse to write an address too often. */
export function keep(state: URLSearchParams): void {
  clearTimeout(waiting?.timer);
  waiting = { state, timer: window.setTimeout(settle, 150) };
}

/* The address of the page as it is now. A page in a frame without one, as in a notebook, has nowhere to write it. */
export function settle(): string {
  if (waiting) {
    clearTimeout(waiting.timer);
    try {
      history.replaceState(null, "", `#${waiting.state.toString()}`);
    } catch {
      /* the picture is right without it */
    }
    waiting = null;
  }
  return location.href;
}

/* What is wanted by the address, with what was not yet written to it. */
export const current = (): URLSearchParams => new URLSearchParams(waiting ? waiting.state : fragment());
