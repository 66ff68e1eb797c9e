"use strict";
/* What the attention component is made with: small elements, tokens as text, weights from their packed form. */
const attentionParts = (() => {
  const MEAN = -1;
  const clamp = (value, low, high) => Math.min(Math.max(value, low), high);
  const number = (value) => value.toFixed(3);
  /* bdi: a token written from right to left must not pull the number after it to its other side */
  const isolated = (token) => element("bdi", {}, token);
  /* A label has room for 24 characters; the readout and the table give the whole token. */
  const label = (token) => {
    const characters = Array.from(token);
    return characters.length > 24 ? characters.slice(0, 23).join("") + "…" : token;
  };

  function element(name, attributes, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes || {})) made.setAttribute(key, value);
    made.append(...children);
    return made;
  }

  /* Weights travel as little-endian uint16 in base64: 65535 stands for `scale`. */
  function decode(layer) {
    const bytes = Uint8Array.from(atob(layer.weights), (character) => character.charCodeAt(0));
    const view = new DataView(bytes.buffer);
    const weights = new Float32Array(bytes.length / 2);
    for (let place = 0; place < weights.length; place++) {
      weights[place] = view.getUint16(2 * place, true) / 65535 * layer.scale;
    }
    return weights;
  }

  function matrixOf(layer, head) {
    layer.decoded ??= decode(layer);
    const size = layer.queries.length * layer.keys.length;
    if (head !== MEAN) return layer.decoded.subarray(head * size, (head + 1) * size);
    layer.mean ??= Float32Array.from({ length: size }, (_, place) => {
      let sum = 0;
      for (let each = 0; each < layer.heads; each++) sum += layer.decoded[each * size + place];
      return sum / layer.heads;
    });
    return layer.mean;
  }

  const ruler = document.createElement("canvas").getContext("2d");
  function widths(tokens, size, family) {
    ruler.font = `${size}px ${family}`;
    return tokens.map((token) => ruler.measureText(token).width);
  }

  return { MEAN, clamp, decode, element, isolated, label, matrixOf, number, widths };
})();
