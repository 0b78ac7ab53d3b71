import type { ChartElement } from "@querybell/domain/jsx-config";
import { type ChartInput, formatProp, labelOf, numberProp, textProp } from "../chart-input.ts";
import type { ValueFormat } from "../formats.ts";
import { linearScale, logScale, logTicks, niceTicks, type Scale } from "../scales.ts";
import { textWidth } from "../text-width.ts";
import type { Series } from "./series.ts";

export const tickSize = 12;

/** An axis of numbers, before it has a length. */
export interface ValueAxis {
  id: string;
  props: ChartElement["props"];
  label: string | undefined;
  format: ValueFormat;
  isHidden: boolean;
  isLog: boolean;
  /** Whether it stands at the right or at the top. */
  isOpposite: boolean;
  series: Series[];
  domain: [number, number];
  fixed: [boolean, boolean];
  isWhole: boolean;
}

export interface PlacedAxis extends ValueAxis {
  ticks: number[];
  texts: string[];
  /** The widest text of a tick. */
  width: number;
  scale: Scale;
}

interface AxisInput extends Pick<ChartInput, "element"> {
  series: readonly Series[];
  isHorizontal: boolean;
}

/** The axes that have series, or one without. */
export function readValueAxes({ element, series, isHorizontal }: AxisInput): ValueAxis[] {
  const [name, idName] = isHorizontal ? ["XAxis", "xAxisId"] : ["YAxis", "yAxisId"];
  const found = element.children.filter((child) => child.name === name);
  const ids = new Set([...series.map(({ axisId }) => axisId)]);
  if (ids.size === 0) ids.add("0");
  const isPercent = element.props.stackOffset === "expand";
  return [...ids].map((id) => {
    const axis = found.find(({ props }) => String(props[idName] ?? 0) === id);
    const props = axis?.props ?? {};
    const own = series.filter(({ axisId }) => axisId === id);
    const isLog = props.scale === "log" && !isPercent;
    const { domain, fixed } = domainOf(own, props.domain, {
      isLog,
      isPercent,
      lines: linesOf(element, id, isHorizontal),
    });
    return {
      id,
      props,
      label: axis && labelOf(axis),
      format: isPercent ? "percent" : (formatProp(props.format) ?? "auto"),
      isHidden: props.hide === true,
      isLog,
      isOpposite: props.orientation === (isHorizontal ? "top" : "right"),
      series: own,
      domain,
      fixed,
      isWhole: props.allowDecimals === false,
    };
  });
}

/** The values of reference lines on this axis, which stay in sight. */
function linesOf(element: ChartElement, id: string, isHorizontal: boolean): number[] {
  return element.children.flatMap(({ name, props }) => {
    const value = isHorizontal ? props.x : props.y;
    const isHere = String(props[isHorizontal ? "xAxisId" : "yAxisId"] ?? 0) === id;
    const isShown = props.ifOverflow !== "discard" && props.ifOverflow !== "hidden";
    return name === "ReferenceLine" && isHere && isShown && typeof value === "number" ? [value] : [];
  });
}

interface DomainOptions {
  isLog: boolean;
  isPercent: boolean;
  lines: readonly number[];
}

function domainOf(
  series: readonly Series[],
  given: unknown,
  { isLog, isPercent, lines }: DomainOptions,
): Pick<ValueAxis, "domain" | "fixed"> {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  let hasBase = false;
  for (const { kind, spans } of series) {
    if (kind === "bar" || kind === "area") hasBase = true;
    for (const span of spans) {
      if (!span) continue;
      for (const value of isLog ? [span[1]] : span) {
        if (isLog && value <= 0) continue;
        if (value < low) low = value;
        if (value > high) high = value;
      }
    }
  }
  for (const value of lines) {
    if (isLog && value <= 0) continue;
    [low, high] = [Math.min(low, value), Math.max(high, value)];
  }
  if (low > high) [low, high] = isLog ? [1, 10] : [0, 1];
  const [from, to] = Array.isArray(given) ? given : [];
  const [lower, upper] = [boundary(from, [low, high]), boundary(to, [low, high])];
  if (!isLog) {
    // Lines that change little would be flat if their axis began at zero.
    const isFlat = !hasBase && (low > 0 ? (high - low) / high : (high - low) / -low) < 0.5 && low * high > 0;
    if (!isFlat && low > 0) low = 0;
    if (!isFlat && high < 0) high = 0;
    if (isPercent) [low, high] = [Math.min(0, low), 1];
  }
  const usable = (value: number | undefined) => value !== undefined && (!isLog || value > 0);
  const domain: [number, number] = [
    usable(lower) ? (lower ?? low) : low,
    usable(upper) ? (upper ?? high) : high,
  ];
  const fixed: [boolean, boolean] = [usable(lower), usable(upper) || isPercent];
  if (domain[0] > domain[1]) return { domain: [domain[1], domain[0]], fixed: [fixed[1], fixed[0]] };
  return { domain, fixed };
}

/** A number, `dataMin`, `dataMax`, or one of these with a number added. */
function boundary(given: unknown, [low, high]: readonly [number, number]): number | undefined {
  if (typeof given === "number") return given;
  const found =
    typeof given === "string" ? /^data(Min|Max)(?:\s*([+-])\s*(\d+(?:\.\d+)?))?$/.exec(given.trim()) : null;
  if (!found) return undefined;
  const base = found[1] === "Min" ? low : high;
  return base + (found[2] === "-" ? -1 : 1) * Number(found[3] ?? 0);
}

/** Gives an axis its ticks and its scale. `isAcross`: its ticks stand beside each other, not above. */
export function placeAxis(
  axis: ValueAxis,
  range: readonly [number, number],
  { formats, isAcross }: Pick<ChartInput, "formats"> & { isAcross: boolean },
): PlacedAxis {
  const length = Math.abs(range[1] - range[0]);
  const write = (ticks: readonly number[]) => {
    const unit = textProp(axis.props.unit) ?? "";
    return formats.ticks(ticks, axis.format).map((text) => `${text}${unit}`);
  };
  let count =
    numberProp(axis.props.tickCount) ?? Math.max(2, Math.min(8, Math.floor(length / (isAcross ? 90 : 48))));
  for (;;) {
    const { domain, ticks } = ticksOf(axis, count);
    const texts = write(ticks);
    const width = Math.max(0, ...texts.map((text) => textWidth(text, tickSize)));
    if (isAcross && count > 2 && ticks.length > 1 && (width + 12) * (ticks.length - 1) > length) {
      count--;
      continue;
    }
    const ends = axis.props.reversed === true ? ([range[1], range[0]] as const) : range;
    const scale = axis.isLog ? logScale(domain, ends) : linearScale(domain, ends);
    return { ...axis, ticks, texts, width, scale };
  }
}

function ticksOf(axis: ValueAxis, count: number): { domain: readonly [number, number]; ticks: number[] } {
  const given = Array.isArray(axis.props.ticks)
    ? axis.props.ticks.filter((tick): tick is number => typeof tick === "number")
    : [];
  const nice = axis.isLog
    ? logTicks(axis.domain, count)
    : niceTicks(axis.domain, { count, fixed: axis.fixed, whole: axis.isWhole });
  if (given.length === 0) return nice;
  return { domain: [Math.min(nice.domain[0], ...given), Math.max(nice.domain[1], ...given)], ticks: given };
}
