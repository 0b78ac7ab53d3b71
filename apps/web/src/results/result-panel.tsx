import { Button, Group, Menu, Text, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { IconDownload, IconSearch } from "@tabler/icons-react";
import { useEffect, useMemo, useReducer, useState } from "react";
import { formatNumber, pluralize } from "../format/pluralize.ts";
import type { OpenResult } from "./open-result.ts";
import classes from "./result-grid.module.css";
import { ResultGrid } from "./result-grid.tsx";
import type { SortAndFilter } from "./result-table.ts";
import { ignoreClosed, RowBlocks } from "./row-blocks.ts";

interface ResultPanelProps {
  result: OpenResult;
  label: string;
  /** Shown beside the number of rows. */
  note?: string | undefined;
}

/** A result with its tools: filter, number of rows, downloads. */
export function ResultPanel({ result, label, note }: ResultPanelProps) {
  const [typed, setTyped] = useState("");
  const [filter] = useDebouncedValue(typed, 150);
  const [sort, setSort] = useState<SortAndFilter["sort"]>(null);
  const sortAndFilter = useMemo(() => ({ sort, filter }), [sort, filter]);
  const blocks = useRowBlocks(result, sortAndFilter);
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
          {!result.isExpired && <Downloads runId={result.runId} />}
        </Group>
      </Group>
      <ResultGrid
        key={result.runId}
        result={result}
        blocks={blocks}
        sortAndFilter={sortAndFilter}
        label={label}
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
const Downloads = ({ runId }: { runId: string }) => (
  <Menu position="bottom-end">
    <Menu.Target>
      <Button size="xs" variant="default" leftSection={<IconDownload size={14} />}>
        Download
      </Button>
    </Menu.Target>
    <Menu.Dropdown>
      <Menu.Item component="a" href={`/api/runs/${runId}/result.csv`} download>
        CSV, for spreadsheets
      </Menu.Item>
      <Menu.Item component="a" href={`/api/runs/${runId}/result.json`} download>
        JSON, every value exact
      </Menu.Item>
      <Menu.Item component="a" href={`/api/runs/${runId}/result.parquet`} download>
        Parquet, with column types
      </Menu.Item>
    </Menu.Dropdown>
  </Menu>
);

/** The rows of a result, sorted and filtered. Renders again when the order changes, not when rows arrive. */
function useRowBlocks(result: OpenResult, order: SortAndFilter): RowBlocks {
  const blocks = useMemo(() => new RowBlocks(result), [result]);
  const [, renderAgain] = useReducer((count: number) => count + 1, 0);
  useEffect(() => {
    blocks.sortAndFilter(order).then(renderAgain, ignoreClosed);
  }, [blocks, order]);
  return blocks;
}
