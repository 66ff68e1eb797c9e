/* The component inside a page that is one file: its data stand beside it as JSON. */
import "./viewer.css";
import "./captions.css";
import type { Listening } from "./choice";
import { startCaptions } from "./captions";
import { current, fragment, keep, readChoice, settle, writeChoice } from "./fragment";
import { type Grid, type PackedLayer, readLayer } from "./seen";
import { Viewer } from "./viewer";

interface Inlined {
  layers: PackedLayer[];
  picture?: (Grid & { address: string }) | null;
}

document.querySelectorAll<HTMLElement>("section.attention").forEach((root, place) => {
  const data = JSON.parse(root.querySelector("script")!.textContent!) as Inlined;
  let opened = false;
  /* the address has room for one state: that of the first component */
  const kept: Listening = place
    ? {}
    : {
        changed: (choice) => {
          if (!opened) return; /* what is shown at first needs no address of its own */
          const state = current();
          writeChoice(state, choice);
          keep(state);
        },
        link: settle,
      };
  const viewer = new Viewer(root, kept);
  const wanted = place ? {} : readChoice(fragment());
  viewer.show({ layers: data.layers.map(readLayer), grid: data.picture ?? null }, wanted, data.picture?.address);
  opened = true;
  if (!place) addEventListener("hashchange", () => viewer.choose({ query: null, key: null, ...readChoice(fragment()) }));
});
startCaptions();
