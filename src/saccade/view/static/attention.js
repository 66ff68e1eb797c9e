"use strict";
/* One attention component: reads the JSON beside it, draws matrix, lines, table and overview.
   Every text reaches the document as a text node, never as markup. */
(() => {
  const { MEAN, clamp, element, isolated, label, matrixOf, number, widths } = attentionParts;
  const SLANT = 50 * Math.PI / 180;

  function start(root) {
    const layers = JSON.parse(root.querySelector("script").textContent).layers;
    const figure = root.querySelector("svg.figure");
    const stage = root.querySelector(".stage");
    const readout = root.querySelector(".readout");
    const groups = [...new Set(layers.map((layer) => layer.group))];
    const cross = layers.findLastIndex((layer) => layer.kind === "cross");
    const state = { layer: cross >= 0 ? cross : layers.length - 1, head: MEAN, view: "matrix" };

    const current = () => layers[state.layer];
    const sameGroup = () => layers.filter((layer) => layer.group === current().group);
    const headWords = (head, heads) =>
      heads === 1 ? "one head" : head === MEAN ? `mean of ${heads} heads` : `head ${head} of ${heads}`;

    function shape(name, attributes, text) {
      const made = document.createElementNS(figure.namespaceURI, name);
      for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
      if (text !== undefined) made.textContent = text;
      return made;
    }

    /* ---- choosing ---- */
    function choose(change) {
      const focused = document.activeElement?.dataset?.choice;
      Object.assign(state, change);
      if (state.head >= current().heads) state.head = MEAN;
      drawControls();
      if (focused) root.querySelector(`[data-choice="${focused}"]:checked`)?.focus();
      drawFigure();
      markOverview();
      drawTable();
    }

    function choices(id, title, options, chosen, pick) {
      const row = element("div", { class: "choices" });
      for (const option of options) {
        const input = element("input", { type: "radio", name: `${id}-${root.dataset.number}`, "data-choice": id });
        input.checked = option.value === chosen;
        input.addEventListener("change", () => pick(option.value));
        row.append(element("label", {}, input, element("span", {}, option.label)));
      }
      return element("fieldset", {}, element("legend", {}, title), row);
    }

    function drawControls() {
      const controls = root.querySelector(".controls");
      const layer = current();
      const parts = [];
      if (groups.length > 1) {
        parts.push(choices("group", "Attention", groups.map((group) => ({ value: group, label: group.replace("-attention", "") })), layer.group,
          (group) => {
            const place = sameGroup().indexOf(current());
            const members = layers.filter((each) => each.group === group);
            choose({ layer: layers.indexOf(members[Math.min(place, members.length - 1)]) });
          }));
      }
      parts.push(choices("layer", "Layer", sameGroup().map((each) => ({ value: layers.indexOf(each), label: each.place })),
        state.layer, (value) => choose({ layer: value })));
      if (layer.heads > 1) {
        const heads = Array.from({ length: layer.heads }, (_, head) => ({ value: head, label: String(head) }));
        parts.push(choices("head", "Head", [{ value: MEAN, label: "mean" }, ...heads], state.head,
          (head) => choose({ head })));
      }
      parts.push(choices("view", "View", [{ value: "matrix", label: "Matrix" }, { value: "lines", label: "Lines" }],
        state.view, (view) => choose({ view })));
      controls.replaceChildren(...parts);
    }

    stage.addEventListener("keydown", (event) => {
      const sideways = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      const upright = { ArrowUp: -1, ArrowDown: 1 }[event.key];
      if (sideways) choose({ head: clamp(state.head + sideways, MEAN, current().heads > 1 ? current().heads - 1 : MEAN) });
      else if (upright) {
        const members = sameGroup();
        choose({ layer: layers.indexOf(members[clamp(members.indexOf(current()) + upright, 0, members.length - 1)]) });
      } else return;
      event.preventDefault();
    });

    /* ---- the readout ---- */
    function say(...parts) {
      readout.replaceChildren(...parts.map((part) => typeof part === "string" ? part : element("b", {}, isolated(part.strong))));
    }
    const strong = (text) => ({ strong: text });

    function strongest(weights, side, place, count) {
      const { queries, keys } = current();
      const length = side === "query" ? keys.length : queries.length;
      const at = (other) => side === "query" ? weights[place * keys.length + other] : weights[other * keys.length + place];
      return Array.from({ length }, (_, other) => ({ other, weight: at(other) }))
        .sort((one, two) => two.weight - one.weight).slice(0, count);
    }

    function sayToken(weights, side, place) {
      const { queries, keys } = current();
      const [own, others] = side === "query" ? [queries, keys] : [keys, queries];
      const list = strongest(weights, side, place, 3).flatMap(({ other, weight }, order) =>
        [order ? ",  " : "", strong(others[other]), ` ${number(weight)}`]);
      say(strong(own[place]), side === "query" ? "  looks at  " : "  is looked at by  ", ...list);
    }

    /* ---- the picture ---- */
    function drawFigure() {
      const layer = current();
      const weights = matrixOf(layer, state.head);
      const largest = weights.reduce((one, two) => Math.max(one, two), 0) || 1;
      const words = `${layer.words}, ${headWords(state.head, layer.heads)}`;
      root.querySelector(".caption").textContent = words.charAt(0).toUpperCase() + words.slice(1);
      figure.setAttribute("aria-label", `${words}. ${layer.queries.length} queries, ${layer.keys.length} keys; ` +
        "the strongest weights are in the table below.");
      figure.replaceChildren();
      figure.classList.remove("aimed");
      figure.onpointermove = figure.onpointerdown = figure.onpointerleave = null;
      (state.view === "matrix" ? drawMatrix : drawLines)(layer, weights, largest);
    }

    function rest(text) { say(text); }

    function drawMatrix(layer, weights, largest) {
      const { queries, keys } = layer;
      const [queryTexts, keyTexts] = [queries.map(label), keys.map(label)];
      const family = getComputedStyle(figure).fontFamily;
      const narrow = stage.clientWidth < 520;
      const size = narrow || keys.length > 34 ? 12 : 14;
      const queryWidths = widths(queryTexts, size, family);
      const keyWidths = widths(keyTexts, size, family);
      const left = Math.ceil(Math.max(...queryWidths, 30)) + 12;
      const overhang = (cell) => Math.max(4,
        ...keyWidths.map((width, place) => width * Math.cos(SLANT) + 8 - (keys.length - place - 0.5) * cell));
      let cell = clamp((stage.clientWidth - left) / keys.length, 14, 36);
      cell = Math.floor(clamp((stage.clientWidth - left - overhang(cell)) / keys.length, 14, 36));
      const top = Math.ceil(Math.max(...keyWidths) * Math.sin(SLANT)) + 18;
      const width = keys.length * cell;
      const height = queries.length * cell;
      const bottom = 34;
      figure.setAttribute("width", Math.ceil(left + width + overhang(cell)));
      figure.setAttribute("height", top + height + bottom);
      figure.setAttribute("font-size", size);

      const row = shape("rect", { class: "band", x: 0, width: left + width, height: cell, visibility: "hidden" });
      const column = shape("rect", { class: "band", y: top, width: cell, height, visibility: "hidden" });
      const aim = shape("rect", { class: "aim", width: cell - 1, height: cell - 1, visibility: "hidden" });
      const parts = [shape("rect", { class: "ground", x: left - 0.5, y: top - 0.5, width, height }), row, column];
      for (let query = 0; query < queries.length; query++) {
        for (let key = 0; key < keys.length; key++) {
          const opacity = weights[query * keys.length + key] / largest;
          if (opacity < 0.004) continue;
          parts.push(shape("rect", { class: "cell", x: left + key * cell, y: top + query * cell, width: cell - 1,
            height: cell - 1, "fill-opacity": opacity.toFixed(3) }));
        }
      }
      const keyLabels = keyTexts.map((token, place) => {
        const x = left + (place + 0.5) * cell + 2;
        const y = top - 8;
        return shape("text", { class: "token", x, y, transform: `rotate(-50 ${x} ${y})`, "data-key": place }, token);
      });
      const queryLabels = queryTexts.map((token, place) => shape("text", { class: "token", x: left - 9,
        y: top + (place + 0.5) * cell, "text-anchor": "end", "dominant-baseline": "central", "data-query": place }, token));
      parts.push(...keyLabels, ...queryLabels, aim, ...legend(left, top + height + 18, largest));
      figure.append(...parts);

      const idle = () => {
        figure.classList.remove("aimed");
        for (const label of [...keyLabels, ...queryLabels]) label.classList.remove("on");
        for (const part of [row, column, aim]) part.setAttribute("visibility", "hidden");
        rest("Point at a cell or a word to read its weights.");
      };
      const pointed = (event) => {
        const word = event.target.dataset || {};
        const box = figure.getBoundingClientRect();
        const inside = { key: Math.floor((event.clientX - box.left - left) / cell),
          query: Math.floor((event.clientY - box.top - top) / cell) };
        const key = word.key !== undefined ? Number(word.key) : inside.key;
        const query = word.query !== undefined ? Number(word.query) : inside.query;
        const onKey = key >= 0 && key < keys.length && word.query === undefined;
        const onQuery = query >= 0 && query < queries.length && word.key === undefined;
        idle();
        if (!onKey && !onQuery || !(onKey && onQuery) && word.key === undefined && word.query === undefined) return;
        figure.classList.add("aimed");
        if (onKey) {
          keyLabels[key].classList.add("on");
          column.setAttribute("x", left + key * cell);
          column.setAttribute("visibility", "visible");
        }
        if (onQuery) {
          queryLabels[query].classList.add("on");
          row.setAttribute("y", top + query * cell);
          row.setAttribute("visibility", "visible");
        }
        if (onKey && onQuery) {
          aim.setAttribute("x", left + key * cell);
          aim.setAttribute("y", top + query * cell);
          aim.setAttribute("visibility", "visible");
          say(strong(queries[query]), "  looks at  ", strong(keys[key]), `  with weight ${number(weights[query * keys.length + key])}`);
        } else sayToken(weights, onQuery ? "query" : "key", onQuery ? query : key);
      };
      figure.onpointermove = figure.onpointerdown = pointed;
      figure.onpointerleave = idle;
      idle();
    }

    function legend(x, y, largest) {
      const steps = 6;
      const bars = Array.from({ length: steps }, (_, step) => shape("rect", { class: "cell", x: x + 16 + step * 13, y, width: 12,
        height: 8, "fill-opacity": Math.max(step / (steps - 1), 0.02).toFixed(2) }));
      const label = { class: "small", y: y + 4, "dominant-baseline": "central" };
      return [shape("text", { ...label, x }, "0"), ...bars, shape("text", { ...label, x: x + 16 + steps * 13 + 6 }, number(largest))];
    }

    function drawLines(layer, weights, largest) {
      const { queries, keys } = layer;
      const family = getComputedStyle(figure).fontFamily;
      const narrow = stage.clientWidth < 520;
      const size = narrow ? 12.5 : 14;
      const step = Math.max(queries.length, keys.length) > 34 ? 20 : 25;
      const margin = narrow ? 34 : 46;
      const top = 34;
      const [queryTexts, keyTexts] = [queries.map(label), keys.map(label)];
      const leftWidth = Math.max(...widths(keyTexts, size, family), 60);
      const rightWidth = Math.max(...widths(queryTexts, size, family), 60);
      const room = stage.clientWidth - leftWidth - rightWidth - 2 * margin - 24;
      const span = clamp(room, 70, 380);
      const from = margin + leftWidth + 10;
      const to = from + span;
      const y = (place) => top + (place + 0.5) * step;
      figure.setAttribute("width", Math.ceil(to + 10 + rightWidth + margin));
      figure.setAttribute("height", top + Math.max(queries.length, keys.length) * step + 8);
      figure.setAttribute("font-size", size);

      const cross = layer.kind === "cross";
      const parts = [
        shape("text", { class: "small", x: from - 8, y: 14, "text-anchor": "end" }, cross ? "source" : "looked at"),
        shape("text", { class: "small", x: to + 8, y: 14 }, cross ? "target" : "looking"),
      ];
      const lines = [];
      for (let query = 0; query < queries.length; query++) {
        for (let key = 0; key < keys.length; key++) {
          const weight = weights[query * keys.length + key];
          if (weight < 0.005) continue;
          const middle = (from + to) / 2;
          const path = shape("path", { class: "line", "stroke-opacity": (weight / largest).toFixed(3),
            d: `M${from} ${y(key)}C${middle} ${y(key)} ${middle} ${y(query)} ${to} ${y(query)}` });
          lines.push({ path, query, key });
          parts.push(path);
        }
      }
      const token = (side, place, text) => shape("text", { class: "token", y: y(place), "dominant-baseline": "central",
        ...(side === "key" ? { x: from - 8, "text-anchor": "end" } : { x: to + 8 }), [`data-${side}`]: place }, text);
      const labels = { key: keyTexts.map((text, place) => token("key", place, text)),
        query: queryTexts.map((text, place) => token("query", place, text)) };
      const numbers = shape("g", {});
      figure.append(...parts, ...labels.key, ...labels.query, numbers);

      let shown = null;
      const idle = () => {
        shown = null;
        figure.classList.remove("aimed");
        numbers.replaceChildren();
        for (const label of [...labels.key, ...labels.query]) label.classList.remove("on", "near");
        rest("Point at a word to see where its lines go.");
      };
      const pointed = (event) => {
        const x = event.clientX - figure.getBoundingClientRect().left;
        const place = Math.floor((event.clientY - figure.getBoundingClientRect().top - top) / step);
        const side = x < from ? "key" : x > to ? "query" : null;
        if (!side || place < 0 || place >= labels[side].length) { idle(); return; }
        if (shown === side + place) return;
        idle();
        shown = side + place;
        figure.classList.add("aimed");
        labels[side][place].classList.add("on");
        for (const line of lines) line.path.classList.toggle("on", line[side] === place);
        const facing = side === "key" ? "query" : "key";
        for (const { other, weight } of strongest(weights, side, place, 6)) {
          if (weight < 0.01) continue;
          labels[facing][other].classList.add("near");
          const width = widths([labels[facing][other].textContent], size, family)[0];
          numbers.append(shape("text", { class: "small", y: y(other), "dominant-baseline": "central",
            ...(facing === "key" ? { x: from - 16 - width, "text-anchor": "end" } : { x: to + 16 + width }) }, number(weight)));
        }
        sayToken(weights, side, place);
      };
      figure.onpointermove = figure.onpointerdown = pointed;
      figure.onpointerleave = idle;
      idle();
    }

    /* ---- the table, made when it is opened ---- */
    const details = root.querySelector(".as-table");
    function drawTable() {
      if (!details.open) return;
      const layer = current();
      const weights = matrixOf(layer, state.head);
      const head = element("tr", {}, ...["Query", "First", "Second", "Third"].map((text) => element("th", { scope: "col" }, text)));
      const rows = layer.queries.map((query, place) => element("tr", {}, element("th", { scope: "row" }, query),
        ...strongest(weights, "query", place, 3).map(({ other, weight }) => element("td", {}, isolated(layer.keys[other]), `  ${number(weight)}`))));
      details.querySelector("table").replaceChildren(element("thead", {}, head), element("tbody", {}, ...rows));
    }
    details.addEventListener("toggle", drawTable);

    /* ---- the overview ---- */
    const thumbs = [];
    function buildOverview() {
      for (const group of groups) {
        const members = layers.filter((layer) => layer.group === group);
        const most = Math.max(...members.map((layer) => layer.heads));
        const columns = most > 1 ? [MEAN, ...Array.from({ length: most }, (_, head) => head)] : [MEAN];
        const block = element("div", { class: "block" });
        block.style.gridTemplateColumns = `max-content repeat(${columns.length}, max-content)`;
        block.append(element("span", { class: "axis row" }, "layer"));
        for (const head of columns) block.append(element("span", { class: "axis" }, head === MEAN ? "mean" : String(head)));
        for (const layer of members) {
          block.append(element("span", { class: "axis row" }, layer.place));
          for (const head of columns) {
            if (head >= layer.heads) { block.append(element("span")); continue; }
            const canvas = element("canvas", { width: layer.keys.length, height: layer.queries.length });
            /* more cells than pixels: let the browser average them */
            if (Math.max(canvas.width, canvas.height) > 45) canvas.style.imageRendering = "auto";
            const button = element("button", { type: "button", class: "thumb",
              "aria-label": `${layer.words}, ${headWords(head, layer.heads)}` }, canvas);
            const place = layers.indexOf(layer);
            button.addEventListener("click", () => {
              choose({ layer: place, head });
              root.querySelector(".caption").scrollIntoView({ block: "nearest" });
            });
            thumbs.push({ button, canvas, layer, place, head });
            block.append(button);
          }
        }
        root.querySelector(".overview").append(element("div", {}, element("h3", {}, group), block));
      }
    }

    function paintOverview() {
      const [red, green, blue] = getComputedStyle(root).getPropertyValue("--weight-rgb").split(",").map(Number);
      const largest = Math.max(...layers.map((layer) => layer.scale));
      for (const { canvas, layer, head } of thumbs) {
        const context = canvas.getContext("2d");
        const image = context.createImageData(canvas.width, canvas.height);
        matrixOf(layer, head).forEach((weight, place) => image.data.set([red, green, blue, 255 * weight / largest], 4 * place));
        context.putImageData(image, 0, 0);
      }
    }

    function markOverview() {
      for (const { button, place, head } of thumbs) {
        button.setAttribute("aria-pressed", String(place === state.layer && head === state.head));
      }
    }

    buildOverview();
    paintOverview();
    choose({});
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", paintOverview);
    let width = stage.clientWidth;
    new ResizeObserver(() => {
      if (stage.clientWidth === width) return;
      width = stage.clientWidth;
      drawFigure();
    }).observe(stage);
  }

  document.querySelectorAll(".attention").forEach((root, place) => {
    root.dataset.number = place;
    start(root);
  });
})();
