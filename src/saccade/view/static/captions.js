"use strict";
/* One captioned picture: its words become buttons, and the one pointed at lights what its captioner looked at.
   Every text reaches the document as a text node, never as markup. */
(() => {
  const { clamp, decode, element, number } = attentionParts;
  const [DARK, LIFT] = [0.36, 0.15];

  /* How much each cell counts at each point of a cubic B-spline: the same surface as in the drawn figures. */
  function spline(cells, points) {
    return Array.from({ length: points }, (_, point) => {
      const at = (point + 0.5) / points * cells - 0.5;
      const first = Math.floor(at);
      const t = at - first;
      const parts = [(1 - t) ** 3 / 6, (3 * t ** 3 - 6 * t ** 2 + 4) / 6, (-3 * t ** 3 + 3 * t ** 2 + 3 * t + 1) / 6, t ** 3 / 6];
      return parts.map((part, step) => [clamp(first + step - 1, 0, cells - 1), part]);
    });
  }

  function smooth(weights, rows, columns, height, width) {
    const across = spline(columns, width);
    const wide = new Float32Array(rows * width);
    for (let row = 0; row < rows; row++) {
      for (let x = 0; x < width; x++) {
        for (const [cell, part] of across[x]) wide[row * width + x] += part * weights[row * columns + cell];
      }
    }
    const light = new Float32Array(height * width);
    spline(rows, height).forEach((parts, y) => {
      for (const [cell, part] of parts) {
        for (let x = 0; x < width; x++) light[y * width + x] += part * wide[cell * width + x];
      }
    });
    return light;
  }

  function start(figure, caption, settle) {
    const image = figure.querySelector("img");
    const canvas = figure.querySelector("canvas");
    const peak = figure.querySelector(".peak");
    const weights = decode(caption);
    const size = caption.rows * caption.columns;
    let pinned = -1;
    let plain = null;

    function pixels() {
      if (plain) return plain;
      canvas.width = image.naturalWidth;
      canvas.height = image.naturalHeight;
      const context = canvas.getContext("2d", { willReadFrequently: true });
      context.drawImage(image, 0, 0);
      plain = context.getImageData(0, 0, canvas.width, canvas.height);
      return plain;
    }

    function show(place) {
      words.forEach((word, other) => word.setAttribute("aria-pressed", String(other === place)));
      canvas.hidden = place < 0;
      if (place < 0) { peak.textContent = ""; return; }
      const source = pixels();
      const grid = weights.subarray(place * size, (place + 1) * size);
      const { width, height } = canvas;
      const light = smooth(grid, caption.rows, caption.columns, height, width);
      const most = light.reduce((one, two) => Math.max(one, two), 0) || 1;
      const shown = new ImageData(width, height);
      for (let point = 0; point < light.length; point++) {
        const share = light[point] / most;
        const at = 4 * point;
        const grey = 0.299 * source.data[at] + 0.587 * source.data[at + 1] + 0.114 * source.data[at + 2];
        for (let colour = 0; colour < 3; colour++) {
          const bright = source.data[at + colour] + LIFT * (255 - source.data[at + colour]);
          shown.data[at + colour] = DARK * grey * (1 - share) + bright * share;
        }
        shown.data[at + 3] = 255;
      }
      const context = canvas.getContext("2d");
      context.putImageData(shown, 0, 0);
      context.strokeStyle = "#e8833a";
      context.lineWidth = Math.max(2, width / 160);
      for (const [left, top, right, bottom] of caption.boxes[place]) {
        context.strokeRect(left * width, top * height, (right - left) * width, (bottom - top) * height);
      }
      peak.textContent = `${caption.words[place]}: largest weight ${number(grid.reduce((one, two) => Math.max(one, two), 0))}`;
    }

    const said = figure.querySelector(".said");
    const words = caption.words.map((word, place) => {
      const button = element("button", { type: "button", class: caption.boxes[place].length ? "word known" : "word",
        "aria-pressed": "false", tabindex: place ? "-1" : "0" }, word);
      button.addEventListener("pointerenter", () => show(place));
      button.addEventListener("pointerleave", () => show(pinned));
      button.addEventListener("focus", () => {
        for (const other of words) other.setAttribute("tabindex", other === button ? "0" : "-1");
        if (button.matches(":focus-visible")) show(place);
      });
      button.addEventListener("blur", () => show(pinned));
      button.addEventListener("click", () => {
        pinned = pinned === place ? -1 : place;
        show(pinned);
      });
      button.addEventListener("keydown", (event) => {
        const to = { ArrowRight: place + 1, ArrowLeft: place - 1, Home: 0, End: words.length - 1 }[event.key];
        if (event.key === "Escape") { pinned = -1; show(-1); }
        if (to === undefined) return;
        event.preventDefault();
        words[clamp(to, 0, words.length - 1)].focus();
      });
      return button;
    });
    if (words.length) said.replaceChildren(...words.flatMap((word, place) => place ? [" ", word] : [word]));
    settle.then(() => {
      /* a page about one word, such as an audit, opens with it lit */
      if (caption.open === null || caption.open >= words.length) return;
      pinned = caption.open;
      show(pinned);
    });
  }

  for (const root of document.querySelectorAll(".captioned")) {
    const { captions } = JSON.parse(root.querySelector("script").textContent);
    root.querySelectorAll("figure").forEach((figure, place) => {
      start(figure, captions[place], figure.querySelector("img").decode());
    });
  }
})();
