import { Text } from "@mantine/core";
import type { ChartRows } from "@querybell/charts/chart-data";
import {
  type ColumnSettings,
  columnsOf,
  pivot,
  readTable,
  type TableSettings,
} from "@querybell/charts/tables";
import { parseJsxConfig } from "@querybell/domain/jsx-config";
import { useMemo } from "react";
import { formatNumber } from "../format/pluralize.ts";
import { localResult } from "./local-result.ts";
import type { OpenResult } from "./open-result.ts";
import { ResultPanel } from "./result-panel.tsx";
import { viewOf } from "./table-view.ts";
import { readerFormats } from "./value-formats.ts";

interface ConfiguredTableProps {
  result: OpenResult;
  /** The rows that a pivot table is computed from. */
  rows: ChartRows;
  jsxConfig: string;
  label: string;
  name?: string | undefined;
  note?: string | undefined;
  /** Called with all columns when the width of one was changed. Without it, widths last as long as the page. */
  onColumns?: (columns: ColumnSettings[]) => void;
}

/** A result as its table shows it: with the chosen columns, formats, totals and colours, or as a pivot table. */
export function ConfiguredTable({
  result,
  rows,
  jsxConfig,
  note,
  onColumns,
  ...panel
}: ConfiguredTableProps) {
  const settings = useMemo(() => readSettings(jsxConfig), [jsxConfig]);
  const { view, shown, notes } = useMemo(() => {
    if (!settings.pivot) return { view: viewOf(result, settings), shown: result.fields, notes: [] };
    const table = pivot(rows, settings.pivot, readerFormats());
    const isPart = rows.rows.length < rows.rowCount;
    const part = `Computed from the first ${formatNumber(rows.rows.length)} of ${formatNumber(rows.rowCount)} rows.`;
    return {
      view: viewOf(localResult(table, result), settings),
      shown: table.fields,
      notes: [...table.notes, ...(isPart ? [part] : [])],
    };
  }, [result, rows, settings]);
  const setWidth = (column: string, width: number | null) => {
    const columns = columnsOf(settings, [...new Set(shown.map(({ name }) => name))]);
    onColumns?.(columns.map((one) => (one.column === column ? { ...one, width } : one)));
  };
  return (
    <>
      {notes.length > 0 && (
        <Text size="xs" c="dimmed">
          {notes.join(" ")}
        </Text>
      )}
      <ResultPanel {...panel} result={view} note={note} onWidth={onColumns && setWidth} />
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
