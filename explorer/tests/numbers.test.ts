import { describe, expect, it } from "vitest";
import { readAnswer, type Calculation } from "../src/api";
import { exponentsOf } from "../src/calculator";
import { label, number } from "../src/dom";
import { smooth } from "../src/light";

const calculation = (scaled: number[], allowed = scaled.map(() => true)): Calculation => ({
  layer: "decoder.0.cross", head: 0, query: 0, query_token: "un", keys: scaled.map(String), score: "dot", scale: 0.5,
  q: [1, 0], k: scaled.map((x) => [2 * x, 0]), raw: scaled.map((x) => 2 * x), scaled, allowed,
  softmax: [], v: scaled.map(() => [1, 1]), weighted: [], context: [],
});

describe("softmax by hand", () => {
  it("is e to the score over the sum", () => {
    const { each, sum, taken } = exponentsOf(calculation([1, 2, 3]));
    expect(taken).toBe(0);
    expect(each[2]! / sum).toBeCloseTo(0.6652, 4);
  });

  it("takes the largest off large scores, which changes no weight", () => {
    const { each, sum, taken } = exponentsOf(calculation([998, 1000]));
    expect(taken).toBe(1000);
    expect(each[1]! / sum).toBeCloseTo(1 / (1 + Math.exp(-2)), 6);
  });

  it("gives nothing to a key that may not be seen", () => {
    expect(exponentsOf(calculation([1, 5], [true, false])).each[1]).toBe(0);
  });
});

describe("a binary answer", () => {
  it("is read from its header and the bytes behind it", () => {
    const layer = { name: "decoder.0.cross", words: "x", kind: "cross", heads: 1, queries: ["un"], keys: ["a", "b"], scale: 1, offset: 0, bytes: 4 };
    const header = new TextEncoder().encode(JSON.stringify({ text: "un é", layers: [layer], picture: null, calculator: null }));
    const buffer = new ArrayBuffer(4 + header.length + 4);
    const view = new DataView(buffer);
    view.setUint32(0, header.length, true);
    new Uint8Array(buffer).set(header, 4);
    view.setUint16(4 + header.length, 65535, true);
    const answer = readAnswer(buffer);
    expect(answer.text).toBe("un é");
    expect([...answer.seen.layers[0]!.weightsHQK]).toEqual([1, 0]);
  });
});

describe("a picture's light", () => {
  it("keeps an even grid even, and is brightest at the largest weight", () => {
    const even = smooth(new Float32Array(6).fill(0.5), { rows: 2, columns: 3 }, 20, 30);
    for (const one of even) expect(one).toBeCloseTo(0.5, 5);
    const spot = smooth(Float32Array.from([0, 0, 0, 0, 0, 1]), { rows: 2, columns: 3 }, 20, 30);
    expect(spot.indexOf(Math.max(...spot))).toBe(19 * 30 + 29);
  });
});

describe("texts", () => {
  it("numbers have a true minus and no minus zero", () => {
    expect([number(-0.5), number(-0.00001), number(2, 1)]).toEqual(["−0.500", "0.000", "2.0"]);
  });

  it("long tokens are cut between characters, never inside one", () => {
    expect(label("🙂".repeat(30))).toBe(`${"🙂".repeat(23)}…`);
    expect(label("short")).toBe("short");
  });
});
