import { describe, expect, it } from "vitest";
import { clearest, counterpart, difference, firstPlace, type Layer, MEAN, matrixOf, moved, ownPlace, placeOf, readLayer, strongest, unpacked } from "../src/seen";

function packed(weights: number[], scale: number): string {
  const bytes = new Uint8Array(2 * weights.length);
  const view = new DataView(bytes.buffer);
  weights.forEach((weight, place) => view.setUint16(2 * place, Math.round((weight / scale) * 65535), true));
  return btoa(String.fromCharCode(...bytes));
}

function layer(name: string, weights = [0.9, 0.1, 0.2, 0.8, 0.5, 0.5, 0.4, 0.6], heads = 2): Layer {
  const queries = ["un", "chat"].slice(0, weights.length / heads / 2);
  return readLayer({ name, words: name, kind: name.split(".").at(-1)!, heads, queries, keys: ["a", "cat"], scale: 1, weights: packed(weights, 1) });
}

describe("packed weights", () => {
  it("come back, from base64 and from bytes that do not begin at the beginning", () => {
    const text = packed([2.5, 0.5, 0], 2.5);
    const raw = Uint8Array.from(atob(text), (one) => one.charCodeAt(0));
    const shifted = new Uint8Array(raw.length + 3);
    shifted.set(raw, 3);
    for (const given of [text, shifted.subarray(3)]) {
      const found = unpacked(given, 2.5);
      [2.5, 0.5, 0].forEach((weight, place) => expect(found[place]).toBeCloseTo(weight, 4));
    }
  });

  it("give each head and their mean", () => {
    const one = layer("decoder.0.cross");
    expect(matrixOf(one, 1)[0]).toBeCloseTo(0.5, 4);
    expect(matrixOf(one, MEAN)[0]).toBeCloseTo(0.7, 4);
    expect(matrixOf(one, MEAN)[3]).toBeCloseTo(0.7, 4);
  });

  it("of another number than tokens and heads say are refused", () => {
    const wrong = { name: "x", words: "x", kind: "self", heads: 3, queries: ["a"], keys: ["b"], scale: 1, weights: packed([1], 1) };
    expect(() => readLayer(wrong)).toThrow("the weights of x are 1 numbers, expected were 3");
  });
});

describe("names", () => {
  it("say group and place", () => {
    expect(placeOf("encoder.3.self")).toEqual({ group: "Encoder self-attention", place: "3" });
    expect(placeOf("decoder.1.cross")).toEqual({ group: "Cross-attention", place: "1" });
    expect(placeOf("text.2.co")).toEqual({ group: "Co-attention", place: "2" });
    expect(placeOf("something else")).toEqual({ group: "Other layers", place: "something else" });
  });

  it("choose the last cross-attention but one, or the last layer", () => {
    const names = ["encoder.0.self", "decoder.0.cross", "decoder.1.cross", "decoder.2.cross"];
    expect(clearest(names.map((name) => layer(name))).name).toBe("decoder.1.cross");
    expect(clearest([layer("encoder.0.self"), layer("encoder.1.self")]).name).toBe("encoder.1.self");
  });

  it("find a layer of another model that stands for one of this", () => {
    const others = ["decoder.0.cross", "decoder.1.cross"].map((name) => layer(name));
    expect(counterpart(layer("decoder.1.cross"), others).name).toBe("decoder.1.cross");
    expect(counterpart(layer("decoder.5.cross"), others).name).toBe("decoder.1.cross");
    expect(counterpart(layer("encoder.0.self"), others).name).toBe("decoder.0.cross");
  });
});

describe("weights", () => {
  it("strongest first, by row and by column", () => {
    const one = layer("decoder.0.cross");
    expect(strongest(one, matrixOf(one, 0), "query", 1, 1)).toMatchObject([{ other: 1 }]);
    expect(strongest(one, matrixOf(one, 0), "key", 0, 2).map(({ other }) => other)).toEqual([0, 1]);
  });

  it("compared before and after a change", () => {
    const [before, after] = [layer("a.0.self"), layer("a.0.self", [0.1, 0.9, 0.2, 0.8, 0.5, 0.5, 0.4, 0.6])];
    const [change] = difference({ layers: [before], grid: null }, { layers: [after], grid: null }).layers;
    expect(change!.weightsHQK[0]).toBeCloseTo(-0.8, 4);
    expect(moved(change!)).toBeCloseTo(0.2, 4);
  });

  it("of other tokens are not compared", () => {
    const shorter = layer("a.0.self", [0.1, 0.9, 0.5, 0.5]);
    expect(difference({ layers: [layer("a.0.self")], grid: null }, { layers: [shorter], grid: null }).layers).toEqual([]);
  });

  it("stand for places of a picture where there are as many, or one more for the whole", () => {
    const one = layer("decoder.0.cross");
    expect(firstPlace(one, { rows: 1, columns: 2 })).toBe(0);
    expect(firstPlace(one, { rows: 1, columns: 1 })).toBe(1);
    expect(firstPlace(one, { rows: 3, columns: 3 })).toBe(-1);
    expect(firstPlace(one, null)).toBe(-1);
  });

  it("of a picture's places are those of one place each, behind the class token", () => {
    const places = layer("encoder.0.self");
    expect([0, 1].map((query) => ownPlace(places, { rows: 1, columns: 1 }, query))).toEqual([-1, 0]);
    expect([0, 1].map((query) => ownPlace(places, { rows: 1, columns: 2 }, query))).toEqual([0, 1]);
    expect(ownPlace(layer("decoder.0.cross"), { rows: 1, columns: 2 }, 1)).toBe(-1);
  });
});
