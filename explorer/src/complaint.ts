/* What went wrong, in words; where a key is missing, with a field for it. */
import { Refused, useKey } from "./api";
import { button, element } from "./dom";

export const locked = (error: unknown): boolean => error instanceof Refused && error.status === 401;

export function complaint(error: unknown, again: () => void): (Node | string)[] {
  if (!locked(error)) return [error instanceof Error ? error.message : String(error)];
  const key = element("input", { type: "password", "aria-label": "API key", autocomplete: "off" });
  const use = button("Use", { class: "small" }, () => {
    useKey(key.value);
    again();
  });
  return ["This service asks for an API key. ", key, use];
}
