/** A seeded random generator: the same seed gives the same choices. */
export function createSeededRandom(seed: number) {
  let state = seed >>> 0;
  // Mulberry32: small, fast, and random enough for tests.
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  const hex = (length: number): string => Array.from({ length }, () => below(16).toString(16)).join("");

  return {
    below,
    pick<T>(choices: readonly [T, ...T[]]): T {
      return choices[below(choices.length)] ?? choices[0];
    },
    hex,
    uuid: (): string => `${hex(8)}-${hex(4)}-7${hex(3)}-8${hex(3)}-${hex(12)}`,
  };
}

export type SeededRandom = ReturnType<typeof createSeededRandom>;
