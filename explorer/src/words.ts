/* Attention in words: what is pointed at, the strongest weights as a table, and which keys do what. */
import { element, isolated, number, strong } from "./dom";
import type { Aim } from "./figure";
import { type Layer, strongest } from "./seen";

/* Where a word looks, who looks at it, or how much one looks at another. */
export function readout(layer: Layer, matrixQK: Float32Array, { query, key }: Aim): (Node | string)[] {
  if (query === null && key === null) return ["Point at a word to see where it looks; click to keep it."];
  if (query !== null && key !== null) {
    const weight = matrixQK[query * layer.keys.length + key]!;
    return [strong(layer.queries[query]!), "  looks at  ", strong(layer.keys[key]!), `  with weight ${number(weight)}`];
  }
  const side = query !== null ? "query" : "key";
  const [own, others] = query !== null ? [layer.queries[query]!, layer.keys] : [layer.keys[key!]!, layer.queries];
  const list = strongest(layer, matrixQK, side, (query ?? key)!, 3).flatMap(({ other, weight }, order) => [
    order ? ",  " : "",
    strong(others[other]!),
    ` ${number(weight)}`,
  ]);
  return [strong(own), query !== null ? "  looks at  " : "  is looked at by  ", ...list];
}

export function weightTable(layer: Layer, matrixQK: Float32Array): HTMLElement {
  const head = element("tr", {}, ...["Query", "First", "Second", "Third"].map((text) => element("th", { scope: "col" }, text)));
  const rows = layer.queries.map((query, place) =>
    element(
      "tr",
      {},
      element("th", { scope: "row" }, isolated(query)),
      ...strongest(layer, matrixQK, "query", place, 3).map(({ other, weight }) => element("td", {}, isolated(layer.keys[other]!), `  ${number(weight)}`)),
    ),
  );
  return element("table", {}, element("thead", {}, head), element("tbody", {}, ...rows));
}

export function keysHint(): HTMLElement {
  const key = (text: string): HTMLElement => element("kbd", {}, text);
  return element(
    "p",
    { class: "hint" },
    ...[key("←"), " ", key("→"), " head  ", key("↑"), " ", key("↓"), " layer  ", key("J"), " ", key("K"), " word  ", key("+"), " ", key("−"), " zoom  "],
    ...[key("Esc"), " none, while the picture has the focus"],
  );
}
