import { describe, expect, it } from "vitest";
import { faintest } from "../src/lines";

describe("the faintest line that is drawn", () => {
  it("is the faintest that can be seen, where there are few", () => {
    expect(faintest(Float32Array.from([0.5, 0.001, 0.2]), 0.5)).toBe(0.02);
  });

  it("rises until no more than 1,200 are left, and never leaves out the strongest", () => {
    const many = Float32Array.from({ length: 4096 }, (_, place) => place / 4095);
    const least = faintest(many, 1);
    const drawn = many.filter((weight) => weight >= least).length;
    expect(drawn).toBeLessThanOrEqual(1200);
    expect(drawn).toBeGreaterThan(1100);
    expect(faintest(new Float32Array(5000).fill(0.3), 0.3)).toBeLessThanOrEqual(1);
  });
});
