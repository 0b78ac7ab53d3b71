import "@fontsource/inter/latin-400.css";
import "@fontsource/inter/latin-600.css";
import { Alert, Text } from "@mantine/core";
import { useElementSize } from "@mantine/hooks";
import { drawChart, inDark, type PreparedChart, prepareChart } from "@querybell/charts";
import type { ChartRows } from "@querybell/charts/chart-data";
import { useMemo } from "react";
import { readerFormats } from "../results/value-formats.ts";
import classes from "./chart.module.css";
import { SceneView } from "./scene-view.tsx";
import type { Visualization } from "./visualization.ts";

interface ChartProps {
  visualization: Visualization;
  rows: ChartRows;
  /** The accessible name. */
  label: string;
  height?: number;
  /** For a card: without axis titles, legend and grid. */
  isSmall?: boolean;
  /** Called with the category of a point that is clicked, or chosen with Enter. */
  onPick?: ((category: string) => void) | undefined;
}

/** The colours of the page, light or dark. */
const theme = {
  text: "var(--mantine-color-text)",
  dimmed: "var(--mantine-color-dimmed)",
  grid: "var(--qb-line)",
  axis: "var(--qb-edge)",
  background: "var(--qb-card)",
  mark(color: string) {
    const dark = inDark(color);
    return dark === color ? color : `light-dark(${color}, ${dark})`;
  },
};

/** Draws a visualization, as the server draws its picture. Its `jsxConfig` is read as data and never evaluated. */
export function Chart({ visualization, rows, label, height = 360, isSmall = false, onPick }: ChartProps) {
  const { ref, width, height: measured } = useElementSize();
  const prepared = useMemo(() => prepare(visualization, rows, isSmall), [visualization, rows, isSmall]);
  // Notes below the chart take some of its height.
  const drawnHeight = measured > 0 ? measured : height;
  const scene = useMemo(
    () =>
      prepared.chart && width > 0
        ? drawChart(prepared.chart, { width, height: drawnHeight, theme, formats: readerFormats() })
        : undefined,
    [prepared, width, drawnHeight],
  );

  // The chart's editor shows the position of the error beside the text.
  if (prepared.isInvalid)
    return <Alert color="red">This chart cannot be drawn: its text has an error.</Alert>;
  const notes = isSmall ? [] : (scene?.notes ?? prepared.notes);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a figure would need a separate caption, which the page has already
    <div className={classes.frame} style={{ height }} role="group" aria-label={label}>
      {/* A small chart is a picture beside its title: nothing in it can be focused or clicked. */}
      <div ref={ref} className={classes.chart} inert={isSmall}>
        {scene && <SceneView scene={scene} isSmall={isSmall} onPick={onPick} />}
      </div>
      {notes.length > 0 && (
        <Text size="xs" c="dimmed">
          {notes.join(" ")}
        </Text>
      )}
    </div>
  );
}

interface Prepared {
  chart: PreparedChart | undefined;
  notes: readonly string[];
  isInvalid: boolean;
}

function prepare(visualization: Visualization, rows: ChartRows, isSmall: boolean): Prepared {
  try {
    const chart = prepareChart(visualization, rows, { isSmall });
    return { chart, notes: isSmall ? [] : (chart?.notes ?? []), isInvalid: false };
  } catch {
    return { chart: undefined, notes: [], isInvalid: true };
  }
}
