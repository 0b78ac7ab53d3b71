import { Text } from "@mantine/core";
import type { ChartElement } from "@querybell/domain/jsx-config";
import { numberFormat } from "../format/intl-formats.ts";
import { formatValue, isValueFormat } from "../results/value-formats.ts";
import classes from "./chart.module.css";
import type { ChartRows } from "./chart-data.ts";

/** A number of the first row in large type, and the number that it is compared with. */
export function NumberFigure({ element, rows }: { element: ChartElement | null; rows: ChartRows }) {
  const props = element?.props ?? {};
  const value = readValue(rows, props.dataKey);
  const before = props.compareTo === undefined ? undefined : readValue(rows, props.compareTo);
  const format = isValueFormat(props.format) ? props.format : "number";
  const text =
    typeof props.decimals === "number" ? withDecimals(value, props.decimals) : formatValue(value, format);
  return (
    <div className={classes.figure}>
      <div className={classes.value}>
        {textOrEmpty(props.prefix)}
        {text === "" ? "–" : text}
        {textOrEmpty(props.suffix)}
      </div>
      {typeof props.label === "string" && <Text c="dimmed">{props.label}</Text>}
      {before !== undefined && <Change from={Number(before)} to={Number(value)} />}
    </div>
  );
}

const textOrEmpty = (text: unknown) => (typeof text === "string" || typeof text === "number" ? text : "");

function readValue({ fields, rows }: ChartRows, column: unknown): unknown {
  const found = fields.findIndex(({ name }) => name === column);
  return rows[0]?.[found === -1 ? 0 : found];
}

const withDecimals = (value: unknown, decimals: number): string =>
  new Intl.NumberFormat(undefined, {
    minimumFractionDigits: Math.min(20, Math.max(0, Math.floor(decimals))),
    maximumFractionDigits: Math.min(20, Math.max(0, Math.floor(decimals))),
  }).format(Number(value));

const percent = numberFormat({ style: "percent", maximumFractionDigits: 1, signDisplay: "always" });

function Change({ from, to }: { from: number; to: number }) {
  if (!Number.isFinite(from) || !Number.isFinite(to) || from === 0) return null;
  return (
    <Text c="dimmed" size="sm">
      {percent().format((to - from) / Math.abs(from))} from {formatValue(from, "number")}
    </Text>
  );
}
