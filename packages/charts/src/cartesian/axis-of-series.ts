import { type ChartInput, formatProp } from "../chart-input.ts";
import type { ValueFormat } from "../formats.ts";
import type { Layout } from "./draw-cartesian.ts";
import type { Series } from "./series.ts";
import type { PlacedAxis } from "./value-axis.ts";

export const axisOf = ({ valueAxes }: Layout, { axisId }: Series): PlacedAxis | undefined =>
  valueAxes.find(({ id }) => id === axisId);

/** The format of a series: that of its axis, or of the tooltip. */
export function formatOf({ element }: ChartInput, axis: PlacedAxis | undefined): ValueFormat {
  const isPercent = element.props.stackOffset === "expand";
  const tooltip = formatProp(element.children.find(({ name }) => name === "Tooltip")?.props.valueFormat);
  const own = axis && !isPercent ? formatProp(axis.props.format) : undefined;
  // A second axis has another unit than the tooltip, whose format is that of the first.
  return own ?? (axis?.isOpposite ? undefined : tooltip) ?? "auto";
}
