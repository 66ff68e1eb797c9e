"use strict";
/* Values under the pointer for every curve of the report. */
(() => {
  for (const figure of document.querySelectorAll(".chart")) {
    const data = figure.querySelector("script");
    if (!data) continue;
    const series = JSON.parse(data.textContent);
    const drawing = figure.querySelector("svg");
    const at = figure.querySelector(".at");
    const values = figure.querySelector(".values");
    const nearest = (points, x) => points.reduce((best, point) =>
      Math.abs(point[2] - x) < Math.abs(best[2] - x) ? point : best, points[0]);

    const pointed = (event) => {
      const box = drawing.getBoundingClientRect();
      const x = (event.clientX - box.left) * drawing.viewBox.baseVal.width / box.width;
      const found = series.filter((each) => each.points.length)
        .map((each) => ({ name: each.name, point: nearest(each.points, x) }));
      const closest = nearest(found.map((each) => each.point), x);
      at.setAttribute("x1", closest[2]);
      at.setAttribute("x2", closest[2]);
      at.setAttribute("visibility", "visible");
      values.textContent = found.map(({ name, point }) =>
        `${name} ${point[1]} at step ${point[0].toLocaleString("en")}`).join("   ·   ");
    };
    drawing.addEventListener("pointermove", pointed);
    drawing.addEventListener("pointerdown", pointed);
    drawing.addEventListener("pointerleave", () => {
      at.setAttribute("visibility", "hidden");
      values.textContent = "";
    });
  }
})();
