/* Two rows of tokens laid against each other: for hovering in two pictures at once, and for what changed in an output. */

/* The longest common subsequence as pairs of places, in order. */
function common(one: readonly string[], two: readonly string[]): [number, number][] {
  const width = two.length + 1;
  const table = new Uint16Array((one.length + 1) * width);
  for (let i = one.length - 1; i >= 0; i--) {
    for (let j = two.length - 1; j >= 0; j--) {
      const [down, right] = [table[(i + 1) * width + j]!, table[i * width + j + 1]!];
      table[i * width + j] = one[i] === two[j] ? table[(i + 1) * width + j + 1]! + 1 : Math.max(down, right);
    }
  }
  const pairs: [number, number][] = [];
  for (let i = 0, j = 0; i < one.length && j < two.length; ) {
    if (one[i] === two[j]) pairs.push([i++, j++]);
    else if (table[(i + 1) * width + j]! >= table[i * width + j + 1]!) i++;
    else j++;
  }
  return pairs;
}

/* For each token of `one` its place in `two`, or null. Gaps of equal length stand for each other, as tired for wide. */
export function aligned(one: readonly string[], two: readonly string[]): (number | null)[] {
  const places = Array<number | null>(one.length).fill(null);
  let [i, j] = [0, 0];
  for (const [a, b] of [...common(one, two), [one.length, two.length]] as [number, number][]) {
    if (a - i === b - j) for (let step = 0; step < a - i; step++) places[i + step] = j + step;
    if (a < one.length) places[a] = b;
    [i, j] = [a + 1, b + 1];
  }
  return places;
}

export interface Piece {
  text: string;
  changed: boolean;
}

export interface Changed {
  before: Piece[];
  after: Piece[];
}

/* Which words went and which came. */
export function changed(before: string, after: string): Changed {
  const [one, two] = [before, after].map((text) => text.split(/\s+/).filter(Boolean)) as [string[], string[]];
  const pairs = common(one, two);
  const [kept, still] = [new Set(pairs.map(([a]) => a)), new Set(pairs.map(([, b]) => b))];
  return {
    before: one.map((text, place) => ({ text, changed: !kept.has(place) })),
    after: two.map((text, place) => ({ text, changed: !still.has(place) })),
  };
}
