import type { ChartElement } from "@querybell/domain/jsx-config";
import { type ChartInput, childOf, type Props, textProp } from "../chart-input.ts";
import { toColor } from "../colors.ts";
import { colorAt } from "../palette.ts";
import { isSplitKey } from "../split-marks.ts";
import { timeNames } from "../time-names.ts";

const kinds = { Line: "line", Bar: "bar", Area: "area", Scatter: "scatter" } as const;
type SeriesKind = (typeof kinds)[keyof typeof kinds];

/** One mark of the chart with its values. */
export interface Series {
  kind: SeriesKind;
  props: Props;
  children: readonly ChartElement[];
  key: string;
  name: string;
  color: string;
  axisId: string;
  stackId: string | undefined;
  isSplit: boolean;
  /** By row. */
  values: (number | undefined)[];
  /** Where each value begins and ends on the value axis, by row. */
  spans: ([from: number, to: number] | undefined)[];
}

const isKind = (name: string): name is keyof typeof kinds => Object.hasOwn(kinds, name);

/** The series that are drawn. */
export function readSeries({
  element,
  data,
  formats,
}: Pick<ChartInput, "element" | "data" | "formats">): Series[] {
  const isHorizontal = element.props.layout === "vertical";
  const fallbackKey = textProp(childOf(element, isHorizontal ? "XAxis" : "YAxis")?.props.dataKey);
  const isZeroFilled = element.props.empty === "zero";
  const marks = element.children.filter(({ name }) => isKind(name));
  const series = marks.flatMap(({ name, props, children }, index): Series[] => {
    const key = textProp(props.dataKey) ?? fallbackKey;
    if (key === undefined || props.hide === true || !isKind(name)) return [];
    const kind = kinds[name];
    const color =
      kind === "bar" || kind === "scatter" ? (props.fill ?? props.stroke) : (props.stroke ?? props.fill);
    const values = data.map((row) => {
      const value = row[key];
      if (typeof value === "number" && Number.isFinite(value)) return value;
      return isZeroFilled && kind !== "scatter" ? 0 : undefined;
    });
    return [
      {
        kind,
        props,
        children,
        key,
        name: textProp(props.name) ?? key,
        color: toColor(color) ?? colorAt(index),
        axisId: String(props[isHorizontal ? "xAxisId" : "yAxisId"] ?? 0),
        stackId: props.stackId === undefined || props.stackId === null ? undefined : String(props.stackId),
        isSplit: isSplitKey(key),
        values,
        spans: [],
      },
    ];
  });
  stack(series, element.props);
  nameTimes(series, formats);
  return series;
}

/** A chart that is split by months has their names as an axis has them. */
function nameTimes(series: readonly Series[], formats: ChartInput["formats"]): void {
  const split = series.filter(({ isSplit }) => isSplit);
  const names = timeNames(
    split.map(({ name }) => name),
    formats,
  );
  for (const [index, one] of split.entries()) one.name = names[index] ?? one.name;
}

/** Computes the spans. Negative values of bars are stacked below the axis. */
function stack(series: readonly Series[], { stackOffset, reverseStackOrder }: Props): void {
  const groups = new Map<string, Series[]>();
  for (const one of series) {
    if (one.stackId === undefined || one.kind === "line" || one.kind === "scatter") {
      const base = typeof one.props.baseValue === "number" ? one.props.baseValue : 0;
      const isLine = one.kind === "line" || one.kind === "scatter";
      one.spans = one.values.map((value) =>
        value === undefined ? undefined : [isLine ? value : base, value],
      );
      continue;
    }
    const id = `${one.axisId} ${one.stackId}`;
    groups.set(id, [...(groups.get(id) ?? []), one]);
  }
  for (const group of groups.values()) {
    const ordered = reverseStackOrder === true ? group.toReversed() : group;
    const rows = Math.max(0, ...group.map(({ values }) => values.length));
    for (let row = 0; row < rows; row++) stackRow(ordered, row, stackOffset);
  }
}

function stackRow(group: readonly Series[], row: number, stackOffset: unknown): void {
  const values = group.map(({ values: all }) => all[row]);
  const total = values.reduce<number>((sum, value) => sum + Math.abs(value ?? 0), 0);
  const scale = stackOffset === "expand" ? (total === 0 ? 0 : 1 / total) : 1;
  const isCentred = stackOffset === "silhouette" || stackOffset === "wiggle";
  let [above, below] = [isCentred ? -total / 2 : 0, 0];
  for (const [index, one] of group.entries()) {
    const value = values[index];
    if (value === undefined) {
      // An area goes on at the height of those below it.
      one.spans[row] = one.kind === "area" ? [above, above] : undefined;
      continue;
    }
    const height = value * scale;
    if (value < 0 && one.kind === "bar") {
      one.spans[row] = [below, below + height];
      below += height;
    } else {
      one.spans[row] = [above, above + height];
      above += height;
    }
  }
}
