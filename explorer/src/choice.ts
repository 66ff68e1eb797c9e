/* What of the attention is looked at, and who is told when that changes. */
import type { Aim } from "./figure";

export type View = "lines" | "matrix" | "picture" | "grid";

/* What is chosen; a view or token that the data have not is left out. */
export interface Choice {
  layer: string;
  head: number;
  view: View;
  query: number | null;
  key: number | null;
}

export interface Listening {
  changed?: (choice: Choice) => void;
  /* pointed at, or no longer: for another viewer beside this one */
  aimed?: (aim: Aim) => void;
  /* the address that opens the same state again */
  link?: () => string;
  /* what the link cannot carry */
  lost?: () => string;
}
