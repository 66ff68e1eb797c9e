/* One captioned picture of a page: its words become buttons, and the one pointed at lights what its captioner looked at. */
import { clamp, element, number } from "./dom";
import { LitPicture, type UnitBox } from "./light";
import { largestOf, unpacked } from "./seen";

interface Caption {
  words: string[];
  boxes: UnitBox[][];
  open: number | null;
  rows: number;
  columns: number;
  scale: number;
  weights: string;
}

export function startCaptions(): void {
  for (const root of document.querySelectorAll(".captioned")) {
    const { captions } = JSON.parse(root.querySelector("script")!.textContent!) as { captions: Caption[] };
    root.querySelectorAll("figure").forEach((figure, place) => start(figure, captions[place]!));
  }
}

function start(figure: HTMLElement, caption: Caption): void {
  const image = figure.querySelector("img")!;
  const canvas = figure.querySelector("canvas")!;
  const peak = figure.querySelector(".peak")!;
  const said = figure.querySelector(".said")!;
  const weights = unpacked(caption.weights, caption.scale);
  const size = caption.rows * caption.columns;
  const picture = new LitPicture(image, canvas);
  let pinned = -1;

  function show(place: number): void {
    words.forEach((word, other) => word.setAttribute("aria-pressed", String(other === place)));
    canvas.hidden = place < 0;
    if (place < 0) {
      peak.textContent = "";
      return;
    }
    const grid = weights.subarray(place * size, (place + 1) * size);
    picture.show(grid, caption, caption.boxes[place]);
    peak.textContent = `${caption.words[place]}: largest weight ${number(largestOf(grid))}`;
  }

  const words = caption.words.map((word, place) => {
    const known = caption.boxes[place]!.length > 0;
    const made = element("button", { type: "button", class: known ? "word known" : "word", "aria-pressed": "false", tabindex: place ? -1 : 0 }, word);
    made.addEventListener("pointerenter", () => show(place));
    made.addEventListener("pointerleave", () => show(pinned));
    made.addEventListener("focus", () => {
      for (const other of words) other.setAttribute("tabindex", other === made ? "0" : "-1");
      if (made.matches(":focus-visible")) show(place);
    });
    made.addEventListener("blur", () => show(pinned));
    made.addEventListener("click", () => show((pinned = pinned === place ? -1 : place)));
    made.addEventListener("keydown", (event) => {
      if (event.key === "Escape") show((pinned = -1));
      const to = { ArrowRight: place + 1, ArrowLeft: place - 1, Home: 0, End: words.length - 1 }[event.key];
      if (to === undefined) return;
      event.preventDefault();
      words[clamp(to, 0, words.length - 1)]!.focus();
    });
    return made;
  });
  if (words.length) said.replaceChildren(...words.flatMap((word, place) => (place ? [" ", word] : [word])));
  void image.decode().then(() => {
    /* a page about one word, such as an audit, opens with it lit */
    if (caption.open !== null && caption.open < words.length) show((pinned = caption.open));
  });
}
