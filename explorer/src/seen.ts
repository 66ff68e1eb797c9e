/* What was seen: the layers of one text or picture, as the recorder names them and the packer packs them. */

export const MEAN = -1;

export interface Grid {
  rows: number;
  columns: number;
  /* crop: the places are of the largest square in the middle; else of the whole picture */
  fit?: "crop" | "squash";
}

/* A layer as it travels; `group` and `place` may be missing, and are then read off the name. */
export interface PackedLayer {
  name: string;
  words: string;
  kind: string;
  group?: string;
  place?: string;
  heads: number;
  queries: string[];
  keys: string[];
  scale: number;
  weights: string | Uint8Array;
}

/* Shapes: H heads, Q queries, K keys. */
export interface Layer {
  name: string;
  words: string;
  kind: string;
  group: string;
  place: string;
  heads: number;
  queries: string[];
  keys: string[];
  weightsHQK: Float32Array;
  meanQK: Float32Array;
}

export interface Seen {
  layers: Layer[];
  grid: Grid | null;
}

export function readLayer(packed: PackedLayer): Layer {
  const size = packed.queries.length * packed.keys.length;
  const weightsHQK = unpacked(packed.weights, packed.scale);
  if (weightsHQK.length !== packed.heads * size) {
    throw new Error(`the weights of ${packed.name} are ${weightsHQK.length} numbers, expected were ${packed.heads * size}`);
  }
  const meanQK = new Float32Array(size);
  for (let place = 0; place < weightsHQK.length; place++) meanQK[place % size]! += weightsHQK[place]! / packed.heads;
  const named = placeOf(packed.name);
  return {
    name: packed.name,
    words: packed.words,
    kind: packed.kind,
    group: packed.group ?? named.group,
    place: packed.place ?? named.place,
    heads: packed.heads,
    queries: packed.queries,
    keys: packed.keys,
    weightsHQK,
    meanQK,
  };
}

/* Weights travel as little-endian uint16, in base64 or as bytes: 65535 stands for `scale`. */
export function unpacked(weights: string | Uint8Array, scale: number): Float32Array {
  const bytes = typeof weights === "string" ? Uint8Array.from(atob(weights), (character) => character.charCodeAt(0)) : weights;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const numbers = new Float32Array(bytes.byteLength >> 1);
  for (let place = 0; place < numbers.length; place++) numbers[place] = (view.getUint16(2 * place, true) / 65535) * scale;
  return numbers;
}

/* `decoder.2.cross` is place 2 of the cross-attention; a name of another form stands for itself. */
export function placeOf(name: string): { group: string; place: string } {
  const found = /^([A-Za-z_]+)(?:\.(\d+))?\.(self|cross|co)$/.exec(name);
  if (!found) return { group: "Other layers", place: name };
  const [, part, number, kind] = found;
  const words = part!.replaceAll("_", " ");
  const self = `${words.charAt(0).toUpperCase()}${words.slice(1)} self-attention`;
  return { group: kind === "self" ? self : kind === "cross" ? "Cross-attention" : "Co-attention", place: number ?? "0" };
}

export function matrixOf(layer: Layer, head: number): Float32Array {
  if (head === MEAN) return layer.meanQK;
  const size = layer.queries.length * layer.keys.length;
  return layer.weightsHQK.subarray(head * size, (head + 1) * size);
}

export function largestOf(numbers: Float32Array): number {
  let most = 0;
  for (const one of numbers) most = Math.max(most, Math.abs(one));
  return most;
}

/* What an edit changed, after − before; layers of which the tokens are no longer the same cannot be compared. */
export function difference(before: Seen, after: Seen): Seen {
  const layers = after.layers.flatMap((layer) => {
    const old = before.layers.find((one) => one.name === layer.name);
    if (!old || old.weightsHQK.length !== layer.weightsHQK.length || old.keys.length !== layer.keys.length) return [];
    const minus = (one: Float32Array, two: Float32Array): Float32Array => one.map((weight, place) => weight - two[place]!);
    return [{ ...layer, weightsHQK: minus(layer.weightsHQK, old.weightsHQK), meanQK: minus(layer.meanQK, old.meanQK) }];
  });
  return { layers, grid: after.grid };
}

/* How much of the attention went elsewhere: half the sum of all changes, for each row of each head; from 0 to 1. */
export function moved(change: Layer): number {
  let sum = 0;
  for (const one of change.weightsHQK) sum += Math.abs(one);
  return sum / 2 / (change.heads * change.queries.length);
}

export type Side = "query" | "key";

export interface Strong {
  other: number;
  weight: number;
}

/* What a query looks at most, or who looks at a key most. */
export function strongest(layer: Layer, matrixQK: Float32Array, side: Side, place: number, count: number): Strong[] {
  const keys = layer.keys.length;
  const length = side === "query" ? keys : layer.queries.length;
  const all = Array.from({ length }, (_, other) => ({
    other,
    weight: matrixQK[side === "query" ? place * keys + other : other * keys + place]!,
  }));
  return all.sort((one, two) => Math.abs(two.weight) - Math.abs(one.weight)).slice(0, count);
}

/* The layer to open when nobody chose: the last cross-attention but one, which tends to align best, or the last. */
export function clearest(layers: Layer[]): Layer {
  const cross = layers.filter((layer) => layer.kind === "cross");
  return cross.at(Math.max(0, cross.length - 2)) ?? layers.at(-1)!;
}

/* Of two models with other names: the same name, or the same kind at the same depth, or what would be opened. */
export function counterpart(layer: Layer, layers: Layer[]): Layer {
  const same = layers.find((one) => one.name === layer.name);
  const kin = layers.filter((one) => one.group === layer.group);
  return same ?? kin[Math.min(Number(layer.place) || 0, kin.length - 1)] ?? layers.find((one) => one.kind === layer.kind) ?? clearest(layers);
}

/* Where the places of the picture begin among the keys: a class token may stand before them. -1: they are no places. */
export function firstPlace(layer: Layer, grid: Grid | null): number {
  if (!grid) return -1;
  const before = layer.keys.length - grid.rows * grid.columns;
  return before === 0 || before === 1 ? before : -1;
}

/* The place that a query stands for itself, where a picture's places look at each other; -1: it is none. */
export function ownPlace(layer: Layer, grid: Grid, query: number): number {
  return layer.kind === "self" ? Math.max(-1, query - firstPlace(layer, grid)) : -1;
}

export function headWords(head: number, heads: number): string {
  if (heads === 1) return "one head";
  return head === MEAN ? `mean of ${heads} heads` : `head ${head} of ${heads}`;
}

export function sentenceOf(layer: Layer, head: number): string {
  const words = `${layer.words}, ${headWords(head, layer.heads)}`;
  return words.charAt(0).toUpperCase() + words.slice(1);
}
