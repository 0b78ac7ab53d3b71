import { Button, Group, Menu, Text, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import type { Total } from "@querybell/charts/tables";
import { IconDownload, IconSearch } from "@tabler/icons-react";
import { useEffect, useMemo, useReducer, useState } from "react";
import { formatNumber, pluralize } from "../format/pluralize.ts";
import { shownText } from "./cell-text.ts";
import { addressOf, type OpenResult } from "./open-result.ts";
import classes from "./result-grid.module.css";
import { ResultGrid } from "./result-grid.tsx";
import type { SortAndFilter } from "./result-table.ts";
import { ignoreClosed, RowBlocks } from "./row-blocks.ts";
import type { TableView } from "./table-view.ts";

interface ResultPanelProps {
  result: OpenResult | TableView;
  label: string;
  /** The name of downloads. */
  name?: string | undefined;
  /** Shown beside the number of rows. */
  note?: string | undefined;
  /** Keeps the width of a column; null: it is automatic. Without it, widths last as long as the page. */
  onWidth?: ((column: string, width: number | null) => void) | undefined;
}

/** A result with its tools: filter, number of rows, downloads. */
export function ResultPanel({ result, label, name, note, onWidth }: ResultPanelProps) {
  const [typed, setTyped] = useState("");
  const [filter] = useDebouncedValue(typed, 150);
  const [sort, setSort] = useState<SortAndFilter["sort"]>(null);
  const sortAndFilter = useMemo(() => ({ sort, filter }), [sort, filter]);
  const blocks = useRowBlocks(result, sortAndFilter);
  const totals = useTotals(result, blocks);
  const shown = blocks.count === result.rowCount ? "" : `${formatNumber(blocks.count)} of `;
  return (
    <div className={classes.panel}>
      <Group gap="xs" justify="space-between">
        <Text size="sm" c="dimmed" role="status">
          {shown}
          {pluralize(result.rowCount, "row")}
          {note !== undefined && ` · ${note}`}
        </Text>
        <Group gap="xs">
          <TextInput
            size="xs"
            w={180}
            aria-label="Filter rows"
            placeholder="Filter rows"
            leftSection={<IconSearch size={14} />}
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
          />
          {result.state !== "expired" && <Downloads result={result} name={name} />}
        </Group>
      </Group>
      <ResultGrid
        key={result.runId}
        result={result}
        totals={totals}
        blocks={blocks}
        sortAndFilter={sortAndFilter}
        label={label}
        onWidth={onWidth}
        onSort={(column) => setSort((before) => nextSort(before, column))}
      />
    </div>
  );
}

/** Ascending, then descending, then unsorted. */
function nextSort(before: SortAndFilter["sort"], column: number): SortAndFilter["sort"] {
  if (before?.column !== column) return { column, descending: false };
  return before.descending ? null : { column, descending: true };
}

/** The whole result as a file, as it is stored. */
function Downloads({ result: { runId, state }, name }: { result: OpenResult; name: string | undefined }) {
  const address = addressOf(runId, state);
  const query = name === undefined ? "" : `?${new URLSearchParams({ name })}`;
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button size="xs" variant="default" leftSection={<IconDownload size={14} />}>
          Download
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item component="a" href={`${address}.csv${query}`} download>
          CSV, for spreadsheets
        </Menu.Item>
        <Menu.Item component="a" href={`${address}.json${query}`} download>
          JSON, every value exact
        </Menu.Item>
        <Menu.Item component="a" href={`${address}.parquet${query}`} download>
          Parquet, with column types
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

const totalNames: Record<Total, string> = {
  sum: "Sum",
  average: "Average",
  minimum: "Least",
  maximum: "Most",
  count: "Count",
};

/** The totals of the rows that match the filter. Undefined for a table without any. */
function useTotals(result: OpenResult | TableView, blocks: RowBlocks): (string | undefined)[] | undefined {
  const [totals, setTotals] = useState<(string | undefined)[]>();
  const { count } = blocks;
  useEffect(() => {
    const columns = "columns" in result ? result.columns : [];
    const wanted = columns.flatMap(({ total }, column) => (total === null ? [] : [{ column, total }]));
    if (wanted.length === 0) {
      setTotals(undefined);
      return;
    }
    let isWanted = count >= 0;
    result.totals(wanted).then((values) => {
      if (!isWanted) return;
      const texts = columns.map((_, column) => {
        const at = wanted.findIndex((one) => one.column === column);
        const { total } = wanted[at] ?? {};
        const field = result.fields[column];
        if (total === undefined || !field) return undefined;
        const value = values[at] ?? null;
        const text =
          value === null ? "–" : total === "count" ? formatNumber(Number(value)) : shownText(value, field);
        return `${totalNames[total]} ${text}`;
      });
      setTotals(texts);
    }, ignoreClosed);
    return () => {
      isWanted = false;
    };
  }, [result, count]);
  return totals;
}

/** The rows of a result, sorted and filtered. Renders again when the order changes, not when rows arrive. */
function useRowBlocks(result: OpenResult, order: SortAndFilter): RowBlocks {
  const blocks = useMemo(() => new RowBlocks(result), [result]);
  const [, renderAgain] = useReducer((count: number) => count + 1, 0);
  useEffect(() => {
    blocks.sortAndFilter(order).then(renderAgain, ignoreClosed);
  }, [blocks, order]);
  return blocks;
}
