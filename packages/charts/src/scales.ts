/** Maps a value to a position in pixels. */
export interface Scale {
  (value: number): number;
  domain: readonly [number, number];
  invert(position: number): number;
}

type Range = readonly [from: number, to: number];

export function linearScale(domain: Range, range: Range): Scale {
  const [low, high] = domain;
  const [from, to] = range;
  const span = high - low || 1;
  // Halves first: the difference of the largest numbers is not a number.
  const share = Number.isFinite(high - low)
    ? (value: number) => (value - low) / span
    : (value: number) => (value / 2 - low / 2) / (high / 2 - low / 2);
  return Object.assign((value: number) => from + share(value) * (to - from), {
    domain,
    invert: (position: number) => low + ((position - from) / (to - from || 1)) * span,
  });
}

/** Values that are not positive have no position: NaN. */
export function logScale(domain: Range, range: Range): Scale {
  const inner = linearScale([Math.log10(domain[0]), Math.log10(domain[1])], range);
  return Object.assign((value: number) => (value > 0 ? inner(Math.log10(value)) : Number.NaN), {
    domain,
    invert: (position: number) => 10 ** inner.invert(position),
  });
}

/** The distance of about `count` ticks: 1, 2 or 5 times a power of ten. */
function niceStep([low, high]: Range, count: number): number {
  // A few more ticks than wanted are better than half of them.
  const raw = (high / count - low / count) / 1.3 || 1;
  const power = 10 ** Math.floor(Math.log10(raw));
  const factor = [1, 2, 5].find((one) => one * power >= raw * 0.999) ?? 10;
  return factor * power;
}

export interface NiceTicks {
  domain: Range;
  ticks: number[];
}

interface NiceOptions {
  count: number;
  /** Which ends are given and must not move. */
  fixed: readonly [boolean, boolean];
  /** Whether ticks are whole numbers. */
  whole: boolean;
}

/** Widens a domain to round ends, with ticks at both where the ends may move. */
export function niceTicks([low, high]: Range, { count, fixed, whole }: NiceOptions): NiceTicks {
  if (low === high) {
    if (Math.abs(low) < 1e-290 && !fixed[0] && !fixed[1])
      return niceTicks([0, 1], { count, fixed: [true, true], whole });
    const room = low === 0 ? 1 : Math.abs(low) * 0.5;
    const [below, above] = [Math.max(-Number.MAX_VALUE, low - room), Math.min(Number.MAX_VALUE, high + room)];
    return niceTicks([fixed[0] ? low : below, fixed[1] && !fixed[0] ? high : above], { count, fixed, whole });
  }
  let step = niceStep([low, high], count);
  if (whole) step = Math.max(1, step);
  // Numbers so small or so large that their distance is none.
  if (!(step > 1e-290 && step < 1e300)) return { domain: [low, high], ticks: [low, high] };
  const first = fixed[0] ? Math.ceil(low / step - 1e-9) : Math.floor(low / step + 1e-9);
  const last = fixed[1] ? Math.floor(high / step + 1e-9) : Math.ceil(high / step - 1e-9);
  const ticks = Array.from({ length: Math.min(200, Math.max(0, last - first + 1)) }, (_, index) =>
    multiply(first + index, step),
  );
  const [from, to] = [fixed[0] ? low : multiply(first, step), fixed[1] ? high : multiply(last, step)];
  // Near the largest numbers, or where a step is less than their last digit, round ends would leave values out.
  const isHeld = from <= low && to >= high && Number.isFinite(from) && Number.isFinite(to);
  return isHeld ? { domain: [from, to], ticks } : { domain: [low, high], ticks: [low, high] };
}

/** Without the last wrong digits of binary fractions: 3 times 0.1 is 0.3. */
function multiply(count: number, step: number): number {
  const power = 10 ** Math.round(Math.log10(step) - 0.5);
  const value = power < 1 && power > 1e-300 ? (count * Math.round(step / power)) / (1 / power) : count * step;
  return value === 0 ? 0 : Number(value.toPrecision(15));
}

/** Powers of ten, and for a few decades 2 and 5 times these. */
export function logTicks([low, high]: Range, count: number): NiceTicks {
  const [from, to] = [Math.floor(Math.log10(low) + 1e-9), Math.ceil(Math.log10(high) - 1e-9)];
  const last = Math.max(to, from + 1);
  const decades = last - from;
  const every = Math.max(1, Math.ceil(decades / Math.max(2, count)));
  const factors = decades * 3 <= count ? [1, 2, 5] : [1];
  const ticks: number[] = [];
  for (let power = from; power <= last; power += every) {
    for (const factor of factors) if (power < last || factor === 1) ticks.push(factor * 10 ** power);
  }
  return { domain: [10 ** from, 10 ** last], ticks };
}
