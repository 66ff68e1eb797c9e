import { describe, expect, it } from "vitest";
import { aligned, changed } from "../src/align";

const words = (text: string): string[] => text.split(" ");

describe("aligned", () => {
  it("pairs equal words, and what stands between them at equal length", () => {
    expect(aligned(words("it was too tired ."), words("it was too wide ."))).toEqual([0, 1, 2, 3, 4]);
  });

  it("leaves out what has no counterpart", () => {
    expect(aligned(words("a red circle"), words("a circle"))).toEqual([0, null, 1]);
    expect(aligned(words("a circle"), words("a big red circle"))).toEqual([0, 3]);
    expect(aligned([], words("a"))).toEqual([]);
  });
});

describe("changed", () => {
  it("marks the words that went and came", () => {
    const { before, after } = changed("un petit cercle rouge", "un petit drapeau rouge vif");
    expect(before.filter((piece) => piece.changed).map((piece) => piece.text)).toEqual(["cercle"]);
    expect(after.filter((piece) => piece.changed).map((piece) => piece.text)).toEqual(["drapeau", "vif"]);
  });

  it("marks nothing where nothing changed, and everything where nothing is left", () => {
    expect(changed("a b", "a  b").after.some((piece) => piece.changed)).toBe(false);
    expect(changed("a b", "").before.every((piece) => piece.changed)).toBe(true);
  });
});
