/* What lines and matrix have in common: a canvas that is drawn at once, and a point on it that means a token or an edge. */
import type { Ink } from "./ink";
import type { Layer } from "./seen";

/* A query, a key, or both: the edge between them. */
export interface Aim {
  query: number | null;
  key: number | null;
}

export const NOWHERE: Aim = { query: null, key: null };

export const sameAim = (one: Aim, two: Aim): boolean => one.query === two.query && one.key === two.key;

export interface Shown {
  layer: Layer;
  matrixQK: Float32Array;
  /* the weight that is drawn full: several pictures may share it */
  most: number;
  aim: Aim;
}

export interface Size {
  width: number;
  height: number;
}

export interface Figure {
  /* Where everything goes, for a stage of this width. */
  lay(shown: Shown, width: number, family: string): Size;
  draw(ink: Ink, shown: Shown): void;
  at(x: number, y: number): Aim;
}
