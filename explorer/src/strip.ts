/* A vector as a strip of small squares: dark above zero, warm below. */
import { element, number } from "./dom";
import { paint } from "./ink";
import type { Palette } from "./palette";

export function strip(vector: readonly number[], most: number, palette: Palette, name: string): HTMLElement {
  const canvas = element("canvas");
  paint(canvas, { matrix: Float32Array.from(vector), rows: 1, columns: vector.length, most: most || 1 }, palette);
  const tip = `${name}: ${vector.length} numbers, from ${number(Math.min(...vector), 2)} to ${number(Math.max(...vector), 2)}`;
  const made = element("span", { class: "strip", role: "img", "aria-label": tip, title: tip }, canvas);
  made.addEventListener("pointermove", (event) => {
    const box = made.getBoundingClientRect();
    const place = Math.min(vector.length - 1, Math.max(0, Math.floor(((event.clientX - box.left) / box.width) * vector.length)));
    made.title = `${name}[${place}] = ${number(vector[place]!)}`;
  });
  return made;
}
