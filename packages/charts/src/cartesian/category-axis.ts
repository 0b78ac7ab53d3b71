import type { ChartElement } from "@querybell/domain/jsx-config";
import { isRest } from "../arrange.ts";
import type { ChartRow } from "../chart-data.ts";
import { type ChartInput, childOf, formatProp, labelOf, textProp } from "../chart-input.ts";
import type { Formats, ValueFormat } from "../formats.ts";
import { timeName } from "../time-names.ts";
import { type Granularity, granularityOf, parseWallTime, type WallTime } from "../times.ts";

/** The axis along which the rows lie, before it has a length. */
export interface CategoryAxis {
  /** Bands have the same width each; times and numbers have their distances. */
  kind: "band" | "time" | "number";
  props: ChartElement["props"];
  column: string | undefined;
  label: string | undefined;
  isHidden: boolean;
  isReversed: boolean;
  /** The rows in the order of the axis. */
  rows: readonly ChartRow[];
  /** By row: the time or the number. Empty for bands of names. */
  places: readonly number[];
  /** The whole name of a row, for tooltips and tables. Writing one takes a while. */
  nameAt(row: number): string;
  /** By row: a short name, for the axis. */
  shortNames: readonly string[];
  granularity: Granularity | undefined;
  format: ValueFormat | undefined;
  /** How many rows have no place on the axis. */
  leftOut: number;
}

export function readCategoryAxis(
  input: Pick<ChartInput, "element" | "data" | "formats">,
  isHorizontal: boolean,
): CategoryAxis {
  const { element, data, formats } = input;
  const axis = childOf(element, isHorizontal ? "YAxis" : "XAxis");
  const props = axis?.props ?? {};
  const column = textProp(props.dataKey);
  const format = formatProp(props.format);
  const common = {
    props,
    column,
    label: axis && labelOf(axis),
    isHidden: props.hide === true,
    isReversed: props.reversed === true,
    format,
    leftOut: 0,
  };
  const values = data.map((row) => (column === undefined ? undefined : row[column]));
  const hasBars = element.children.some(({ name }) => name === "Bar");
  if (props.type === "number" && values.some((value) => typeof value === "number")) {
    return { ...common, ...numbersOf(data, values, (value) => formats.value(value, format ?? "auto")) };
  }
  const times = values.map((value) => parseWallTime(value, formats.offsetAt));
  const known = times.filter((time) => time !== undefined);
  const isTime =
    known.length > 0 &&
    times.every((time, index) => time !== undefined || isMissing(values[index]) || isRest(data[index] ?? {}));
  const granularity = isTime ? granularityOf(known) : undefined;
  const nameAt = (index: number) =>
    nameOf(values[index], times[index], { format, formats, granularity }, index, column);
  if (isTime && !hasBars && !data.some(isRest) && props.type !== "category" && new Set(known).size > 1) {
    const order = data.map((_, index) => index).filter((index) => times[index] !== undefined);
    order.sort((a, b) => (times[a] ?? 0) - (times[b] ?? 0));
    return {
      ...common,
      kind: "time",
      rows: order.map((index) => data[index] ?? {}),
      places: order.map((index) => times[index] ?? 0),
      nameAt: (row) => nameAt(order[row] ?? 0),
      shortNames: [],
      granularity,
      leftOut: data.length - order.length,
    };
  }
  const spansYears = new Set(known.map((time) => new Date(time).getUTCFullYear())).size > 1;
  let hasYear = false;
  const shortNames = data.map((_, index) => {
    const time = times[index];
    const isShort = granularity === "day" && !spansYears && format === undefined;
    if (time === undefined || !isShort) return nameAt(index);
    // The first day tells the year of all.
    const name = formats.time(time, "day", !hasYear);
    hasYear = true;
    return name;
  });
  const places = isTime ? times.map((time) => time ?? Number.NaN) : [];
  return { ...common, kind: "band", rows: data, places, nameAt, shortNames, granularity };
}

const isMissing = (value: unknown): boolean => value === null || value === undefined;

function numbersOf(data: readonly ChartRow[], values: readonly unknown[], write: (value: number) => string) {
  const order = data.map((_, index) => index).filter((index) => typeof values[index] === "number");
  const places = order.map((index) => Number(values[index]));
  return {
    kind: "number" as const,
    rows: order.map((index) => data[index] ?? {}),
    places,
    nameAt: (row: number) => write(places[row] ?? 0),
    shortNames: [],
    granularity: undefined,
    leftOut: data.length - order.length,
  };
}

interface Naming {
  format: ValueFormat | undefined;
  formats: Formats;
  granularity: Granularity | undefined;
}

function nameOf(
  value: unknown,
  time: WallTime | undefined,
  { format, formats, granularity }: Naming,
  index: number,
  column: string | undefined,
): string {
  if (column === undefined) return String(index + 1);
  if (isMissing(value)) return "No value";
  if (format !== undefined) return formats.value(value, format);
  if (time !== undefined && granularity !== undefined) return timeName(time, granularity, formats);
  // A year is not grouped.
  if (typeof value === "number" && Number.isInteger(value) && value >= 1000 && value < 10_000)
    return String(value);
  const text = formats.value(value, "auto").trim();
  return text === "" ? "Empty text" : text;
}
