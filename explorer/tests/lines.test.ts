import { describe, expect, it } from "vitest";
import { hazeOf } from "../src/lines";

describe("the lines that are drawn while nobody points", () => {
  it("are all that can be seen, where there are few", () => {
    expect(hazeOf(Float32Array.from([0.5, 0.001, 0.2]), 0.5)).toEqual({ least: 0.02, part: 1 });
  });

  it("are the strongest where there are many, 1,200 at most", () => {
    const many = Float32Array.from({ length: 4096 }, (_, place) => (place / 4095) ** 4);
    const { least, part } = hazeOf(many, 1);
    const drawn = many.filter((weight) => weight >= least);
    expect(drawn.length).toBeLessThanOrEqual(1200);
    expect(drawn.reduce((sum, weight) => sum + weight, 0)).toBeGreaterThan(180);
    expect(part).toBe(1);
  });

  it.each([0, 0.004])("are some of all where a head looks everywhere alike, give or take %d", (more) => {
    const even = Float32Array.from({ length: 4096 }, (_, place) => 0.3 - (place % 64 ? more : 0));
    const { least, part } = hazeOf(even, 0.3);
    const drawn = even.filter((weight) => weight / 0.3 >= least).length * part;
    expect(drawn).toBeGreaterThan(240);
    expect(drawn).toBeLessThan(260);
  });
});
