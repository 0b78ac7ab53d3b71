import { fitNames } from "../fit-names.ts";
import type { Formats } from "../formats.ts";
import { linearScale, niceTicks } from "../scales.ts";
import { textWidth } from "../text-width.ts";
import { type Granularity, timeTicks, type WallTime } from "../times.ts";
import type { CategoryAxis } from "./category-axis.ts";
import { tickSize } from "./value-axis.ts";

/** One text of the axis. */
interface AxisTick {
  at: number;
  lines: string[];
}

export interface PlacedCategories {
  /** By row: the middle of its place. */
  positions: number[];
  /** The width of a band. For times and numbers the usual distance. */
  step: number;
  ticks: AxisTick[];
  /** Whether the texts are turned, so that they fit. */
  isTurned: boolean;
  /** The height of the texts below the plot. */
  height: number;
}

const lineHeight = 15;
export const turnedAngle = -40;

/** Places the rows between two positions, and chooses texts that do not overlap. */
export function placeAcross(
  axis: CategoryAxis,
  [from, to]: readonly [number, number],
  formats: Formats,
): PlacedCategories {
  const length = to - from;
  if (axis.kind !== "band") return placeByDistance(axis, [from, to], formats);
  const count = Math.max(1, axis.rows.length);
  const step = length / count;
  const positions = axis.rows.map((_, index) => {
    const place = axis.isReversed ? count - 1 - index : index;
    return from + (place + 0.5) * step;
  });
  const shown = axis.shortNames;
  const widest = Math.max(0, ...shown.map((name) => textWidth(name, tickSize)));
  const at = (index: number) => positions[index] ?? from;
  if (widest + 10 <= step) {
    return {
      positions,
      step,
      isTurned: false,
      height: lineHeight,
      ticks: shown.map((name, index) => ({ at: at(index), lines: [name] })),
    };
  }
  // Dates follow each other, so some of them are enough. Names are all needed.
  if (axis.granularity !== undefined || shown.every((name) => /^[\d.,\s-]+$/.test(name))) {
    const every = Math.max(1, Math.ceil((widest + 16) / step));
    const round = roundTimes(axis, step, formats);
    const ticks = round
      ? round.map(({ row, text }) => ({ at: at(row), lines: [text] }))
      : shown.flatMap((name, index) => (index % every === 0 ? [{ at: at(index), lines: [name] }] : []));
    return { positions, step, isTurned: false, height: lineHeight, ticks };
  }
  const wrapped = shown.map((name) => wrap(name, step - 8));
  if (step >= 44 && wrapped.every((lines) => lines.every((line) => textWidth(line, tickSize) <= step - 6))) {
    const most = Math.max(...wrapped.map((lines) => lines.length));
    return {
      positions,
      step,
      isTurned: false,
      height: most * lineHeight,
      ticks: wrapped.map((lines, index) => ({ at: at(index), lines })),
    };
  }
  const every = Math.max(1, Math.ceil(16 / step));
  const room = 130;
  const rows = [...shown.keys()].filter((row) => row % every === 0);
  const names = rows.map((row) => shown[row] ?? "");
  const ticks = fitNames(names, room, tickSize).map((name, index) => ({
    at: at(rows[index] ?? 0),
    lines: [name],
  }));
  const longest = Math.max(0, ...ticks.map(({ lines: [name = ""] }) => textWidth(name, tickSize)));
  const height = Math.sin((-turnedAngle * Math.PI) / 180) * longest + 12;
  return { positions, step, isTurned: true, height, ticks };
}

/** A name in at most three lines, of which the last has what is left. */
function wrap(name: string, room: number): string[] {
  const lines: string[] = [];
  for (const word of name.split(" ")) {
    const last = lines.at(-1);
    const joined = `${last} ${word}`;
    if (last !== undefined && (lines.length === 3 || textWidth(joined, tickSize) <= room))
      lines[lines.length - 1] = joined;
    else lines.push(word);
  }
  return lines;
}

/** Bands at the beginning of months, weeks or hours, for dates that follow each other. */
function roundTimes(
  axis: CategoryAxis,
  step: number,
  formats: Formats,
): { row: number; text: string }[] | undefined {
  const { places, granularity, format } = axis;
  const [first, last] = [places[0], places.at(-1)];
  const isRising = places.every((place, index) => index === 0 || place > (places[index - 1] ?? 0));
  if (
    !isRising ||
    first === undefined ||
    last === undefined ||
    format !== undefined ||
    granularity === undefined
  )
    return undefined;
  const { ticks, texts } = timeLabels(axis, [first, last], step * Math.max(1, places.length - 1), formats);
  let row = 0;
  const found = ticks.map((tick, index) => {
    while (row < places.length - 1 && (places[row] ?? 0) < tick) row++;
    return { row, text: texts[index] ?? "", isThere: places[row] === tick };
  });
  // With gaps in the dates, a round one may be missing.
  return found.length >= 2 && found.every(({ isThere }) => isThere) ? found : undefined;
}

function placeByDistance(
  axis: CategoryAxis,
  [from, to]: readonly [number, number],
  formats: Formats,
): PlacedCategories {
  const { places, props } = axis;
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const place of places) [low, high] = [Math.min(low, place), Math.max(high, place)];
  const range: readonly [number, number] = axis.isReversed ? [to, from] : [from, to];
  const length = Math.abs(to - from);
  const common = { step: length / Math.max(1, places.length - 1), isTurned: false, height: lineHeight };
  if (axis.kind === "time") {
    const scale = linearScale([low, high], range);
    const positions = places.map(scale);
    const { ticks, texts } = timeLabels(axis, [low, high], length, formats);
    return {
      ...common,
      positions,
      ticks: ticks.map((tick, index) => ({ at: scale(tick), lines: [texts[index] ?? ""] })),
    };
  }
  const [givenLow, givenHigh] = Array.isArray(props.domain) ? props.domain : [];
  // An axis begins at zero unless the points are far from it.
  if (low > 0 && low < (high - low) / 2) low = 0;
  const fixed: [boolean, boolean] = [typeof givenLow === "number", typeof givenHigh === "number"];
  const wanted: [number, number] = [
    typeof givenLow === "number" ? givenLow : low,
    typeof givenHigh === "number" ? givenHigh : high,
  ];
  const { domain, ticks } = niceTicks(wanted, {
    count: Math.max(2, Math.floor(length / 90)),
    fixed,
    whole: false,
  });
  const scale = linearScale(domain, range);
  const texts = formats.ticks(ticks, axis.format ?? "auto");
  return {
    ...common,
    positions: places.map(scale),
    ticks: ticks.map((tick, index) => ({ at: scale(tick), lines: [texts[index] ?? ""] })),
  };
}

function timeLabels(
  { granularity = "second", format }: CategoryAxis,
  [low, high]: readonly [WallTime, WallTime],
  length: number,
  formats: Formats,
): { ticks: WallTime[]; texts: string[] } {
  const spansYears = new Date(low).getUTCFullYear() !== new Date(high).getUTCFullYear();
  const write = (tick: WallTime, unit: Granularity, withYear: boolean) =>
    format === undefined
      ? formats.time(tick, unit, withYear)
      : formats.value(new Date(tick).toISOString().slice(0, 19), format);
  for (let room = 40; ; room *= 1.3) {
    const minMs = ((high - low) / Math.max(1, length)) * room;
    const { ticks, unit } = timeTicks([low, high], minMs, granularity);
    // The first day tells the year of all.
    const texts = ticks.map((tick, index) => write(tick, unit, spansYears || index === 0));
    const widths = texts.map((text) => textWidth(text, tickSize));
    const pixels = length / (high - low || 1);
    const fits = ticks.every((tick, index) => {
      const before = ticks[index - 1];
      if (before === undefined) return true;
      return ((widths[index - 1] ?? 0) + (widths[index] ?? 0)) / 2 + 14 <= (tick - before) * pixels;
    });
    if (ticks.length < 2 || fits || room > length) return withoutRepeats(ticks, texts);
  }
}

/** A format can be coarser than the ticks: then the first tick of each text is enough. */
function withoutRepeats(ticks: WallTime[], texts: string[]): { ticks: WallTime[]; texts: string[] } {
  const kept = ticks.map((_, index) => index).filter((index) => texts[index] !== texts[index - 1]);
  return { ticks: kept.map((index) => ticks[index] ?? 0), texts: kept.map((index) => texts[index] ?? "") };
}

/** Places the rows from top to bottom, with their names beside them. */
export function placeDown(
  axis: CategoryAxis,
  [from, to]: readonly [number, number],
  room: number,
): PlacedCategories & { width: number } {
  const count = Math.max(1, axis.rows.length);
  const step = (to - from) / count;
  const positions = axis.rows.map((_, index) => {
    const place = axis.isReversed ? count - 1 - index : index;
    return from + (place + 0.5) * step;
  });
  const every = Math.max(1, Math.ceil(14 / step));
  const nameOfRow = (row: number) => (axis.kind === "band" ? (axis.shortNames[row] ?? "") : axis.nameAt(row));
  const rows = [...positions.keys()].filter((row) => row % every === 0);
  const ticks = fitNames(rows.map(nameOfRow), room, tickSize).map((name, index) => ({
    at: positions[rows[index] ?? 0] ?? from,
    lines: [name],
  }));
  const width = Math.max(0, ...ticks.map(({ lines: [name = ""] }) => textWidth(name, tickSize)));
  return { positions, step, ticks, isTurned: false, height: 0, width };
}
