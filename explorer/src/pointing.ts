/* Mouse, finger and wheel on a figure: pointing, keeping, and in a matrix moving and zooming. */
import { type Aim, NOWHERE } from "./figure";
import type { Matrix } from "./matrix";

export interface Pointed {
  at(x: number, y: number): Aim;
  hover(aim: Aim): void;
  pin(aim: Aim): void;
  /* what can be moved and zoomed, where that is what is looked at */
  zoomable(): Matrix | null;
  draw(): void;
}

interface Place {
  x: number;
  y: number;
}

const STILL = 6; /* pixels that a click may move without being a drag */

export function listenToPointer(canvas: HTMLCanvasElement, pointed: Pointed): void {
  const touching = new Map<number, Place>();
  let dragged = 0;
  const inside = ({ x, y }: Place): [number, number] => {
    const box = canvas.getBoundingClientRect();
    return [x - box.left, y - box.top];
  };
  canvas.addEventListener("pointerdown", (event) => {
    touching.set(event.pointerId, { x: event.clientX, y: event.clientY });
    dragged = 0;
    if ((pointed.zoomable()?.zoom ?? 1) > 1) canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    const now = { x: event.clientX, y: event.clientY };
    const before = touching.get(event.pointerId);
    const matrix = pointed.zoomable();
    if (!before || !matrix || (matrix.zoom === 1 && touching.size < 2)) {
      pointed.hover(pointed.at(...inside(now)));
      return;
    }
    const [dx, dy] = [now.x - before.x, now.y - before.y];
    if (touching.size === 2) {
      const other = [...touching].find(([id]) => id !== event.pointerId)![1];
      const apart = (one: Place): number => Math.hypot(one.x - other.x, one.y - other.y) || 1;
      const middle = { x: (now.x + other.x) / 2, y: (now.y + other.y) / 2 };
      matrix.enlarge(apart(now) / apart(before), ...inside(middle));
    } else matrix.move(dx, dy);
    touching.set(event.pointerId, now);
    dragged += Math.abs(dx) + Math.abs(dy);
    pointed.draw();
  });
  const left = (event: PointerEvent): void => {
    touching.delete(event.pointerId);
    if (event.type !== "pointerup") pointed.hover(NOWHERE);
  };
  for (const name of ["pointerup", "pointercancel", "pointerleave"] as const) canvas.addEventListener(name, left);
  canvas.addEventListener("click", (event) => {
    if (dragged < STILL) pointed.pin(pointed.at(...inside(event)));
  });
  canvas.addEventListener("dblclick", (event) => {
    const matrix = pointed.zoomable();
    if (!matrix) return;
    matrix.enlarge(2, ...inside(event));
    pointed.draw();
  });
  canvas.addEventListener(
    "wheel",
    (event) => {
      /* only with Ctrl, which is also what a pinch on a touchpad says: the wheel alone scrolls the page */
      const matrix = pointed.zoomable();
      if (!matrix || !event.ctrlKey) return;
      event.preventDefault();
      matrix.enlarge(Math.exp(-event.deltaY / 300), ...inside(event));
      pointed.draw();
    },
    { passive: false },
  );
}
