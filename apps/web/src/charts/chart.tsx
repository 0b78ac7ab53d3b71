import { Alert, Text } from "@mantine/core";
import { useElementSize } from "@mantine/hooks";
import { type ChartElement, parseJsxConfig } from "@querybell/domain/jsx-config";
import { useMemo } from "react";
import { numberFormat } from "../format/intl-formats.ts";
import { formatValue, isValueFormat } from "../results/value-formats.ts";
import classes from "./chart.module.css";
import type { ChartRows } from "./chart-data.ts";
import { fitMargins } from "./chart-size.ts";
import { drawRoot } from "./draw-element.tsx";
import { settingsToElement } from "./settings-to-element.ts";
import { splitMarks } from "./split-marks.ts";
import { defaultSettings } from "./suggest-settings.ts";
import type { Visualization } from "./visualization.ts";

interface ChartProps {
  visualization: Visualization;
  rows: ChartRows;
  /** The accessible name. */
  label: string;
  height?: number;
  /** For a card: without axis titles, legend and grid. */
  isSmall?: boolean;
}

/** Draws a visualization. Its `jsxConfig` is read as data and never evaluated. */
export function Chart({ visualization, rows, label, height = 360, isSmall = false }: ChartProps) {
  const { ref, width, height: measured } = useElementSize();
  const { jsxConfig, type, marginConfig } = visualization;
  const read = useMemo(() => readConfig(jsxConfig), [jsxConfig]);
  const element = useMemo(() => {
    const found = read?.element ?? settingsToElement(defaultSettings(type, rows.fields));
    return found && isSmall ? withoutFrame(found) : found;
  }, [read, type, rows.fields, isSmall]);
  const drawn = useMemo(() => element && splitMarks(element, rows), [element, rows]);

  // The chart's editor shows the position of the error beside the text.
  if (!read) return <Alert color="red">This chart cannot be drawn: its text has an error.</Alert>;
  const notes = isSmall ? [] : (drawn?.notes ?? []);
  const size = { width, height: notes.length > 0 ? measured : height };
  const margin = isSmall
    ? { top: 4, right: 4, bottom: 4, left: 4 }
    : fitMargins(width < narrow ? capped(marginConfig) : marginConfig, size);
  const isNumber = type === "number" || element?.name === "Number";
  return (
    // biome-ignore lint/a11y/useSemanticElements: a figure would need a separate caption, which the page has already
    <div className={classes.frame} style={{ height }} role="group" aria-label={label}>
      {/* A small chart is a picture beside its title: nothing in it can be focused or clicked. */}
      <div ref={ref} className={`${classes.chart} ${classes.sized}`} inert={isSmall && !isNumber}>
        {isNumber ? (
          <NumberFigure element={element} rows={rows} />
        ) : (
          drawn && width > 0 && drawRoot(drawn.element, { data: drawn.data, margin, ...size })
        )}
      </div>
      {notes.length > 0 && (
        <Text size="xs" c="dimmed">
          {notes.join(" ")}
        </Text>
      )}
    </div>
  );
}

/** Below this width, a margin chosen for a wide screen would leave too little space for the chart. */
const narrow = 480;

const capped = (margins: Visualization["marginConfig"]): Visualization["marginConfig"] => ({
  ...margins,
  left: Math.min(8, margins.left),
  right: Math.min(12, margins.right),
});

function readConfig(text: string): { element: ChartElement | null } | undefined {
  try {
    return { element: parseJsxConfig(text) };
  } catch {
    return undefined;
  }
}

/** Reduces a chart to its shape, for a card. */
function withoutFrame(element: ChartElement): ChartElement {
  const children = element.children
    .filter(({ name }) => !["Legend", "CartesianGrid", "Label", "LabelList", "Tooltip"].includes(name))
    .map((child) => ({ ...child, props: smallProps(child) }));
  return { ...element, children };
}

/** Hides the axes, and the labels of a pie, whose hole is scaled with it. */
function smallProps({ name, props }: ChartElement): ChartElement["props"] {
  if (/^[XY]Axis$/.test(name)) return { ...props, hide: true };
  if (name !== "Pie") return props;
  const { label: _, ...rest } = props;
  return { ...rest, ...(rest.innerRadius !== undefined && { innerRadius: "55%" }) };
}

/** A number of the first row in large type, and the number that it is compared with. */
function NumberFigure({ element, rows }: { element: ChartElement | null; rows: ChartRows }) {
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
