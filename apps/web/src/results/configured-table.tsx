import { Text } from "@mantine/core";
import type { ChartRows } from "@querybell/charts/chart-data";
import { pivot, readTable, type TableSettings } from "@querybell/charts/tables";
import { parseJsxConfig } from "@querybell/domain/jsx-config";
import { useMemo } from "react";
import { formatNumber } from "../format/pluralize.ts";
import type { OpenResult } from "./open-result.ts";
import { ResultPanel } from "./result-panel.tsx";
import { localResult, viewOf } from "./table-view.ts";

interface ConfiguredTableProps {
  result: OpenResult;
  /** The rows that a pivot table is computed from. */
  rows: ChartRows;
  jsxConfig: string;
  label: string;
  name?: string | undefined;
  note?: string | undefined;
}

/** A result as its table shows it: with the chosen columns, formats, totals and colours, or as a pivot table. */
export function ConfiguredTable({ result, rows, jsxConfig, note, ...panel }: ConfiguredTableProps) {
  const settings = useMemo(() => readSettings(jsxConfig), [jsxConfig]);
  const { view, notes } = useMemo(() => {
    if (!settings.pivot) return { view: viewOf(result, settings), notes: [] };
    const table = pivot(rows, settings.pivot);
    const isPart = rows.rows.length < rows.rowCount;
    const part = `Computed from the first ${formatNumber(rows.rows.length)} of ${formatNumber(rows.rowCount)} rows.`;
    return {
      view: viewOf(localResult(table, result), settings),
      notes: [...table.notes, ...(isPart ? [part] : [])],
    };
  }, [result, rows, settings]);
  return (
    <>
      {notes.length > 0 && (
        <Text size="xs" c="dimmed">
          {notes.join(" ")}
        </Text>
      )}
      <ResultPanel {...panel} result={view} note={note} />
    </>
  );
}

function readSettings(jsxConfig: string): TableSettings {
  try {
    return readTable(parseJsxConfig(jsxConfig));
  } catch {
    return readTable(null);
  }
}
