import { Group, Loader, MultiSelect, Table, Text } from "@mantine/core";
import type { Outputs } from "@querybell/client";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { trpc } from "../api.ts";
import { ErrorNotice } from "../errors/error-notice.tsx";
import { formatNumber, pluralize } from "../format/pluralize.ts";
import { Dialog } from "../ui/dialog.tsx";
import { Scrollable } from "../ui/scrollable.tsx";
import { Tag } from "../ui/tag.tsx";
import classes from "./comparison-dialog.module.css";

type Comparison = Outputs["runs"]["compare"];

interface ComparisonDialogProps {
  /** The runs of the earlier and of the newer result. */
  from: string;
  to: string;
  /** What is compared with what. */
  title: string;
  onClose: () => void;
}

/** How one result differs from another: counts, totals, the rows with the cells that changed, and a file of all. */
export function ComparisonDialog({ from, to, title, onClose }: ComparisonDialogProps) {
  const [chosen, setChosen] = useState<string[]>([]);
  const input = { from, to, ...(chosen.length > 0 && { key: chosen }) };
  const options = trpc.runs.compare.queryOptions(input, {
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const { data, error, refetch, isFetching } = useQuery({ ...options, placeholderData: keepPreviousData });
  const query = new URLSearchParams([["from", from], ...chosen.map((name) => ["key", name])]);
  return (
    <Dialog onClose={onClose} title={title} size="min(96vw, 80rem)">
      {!data && !error && <Loader size="sm" aria-label="Comparing" />}
      {data && (
        <>
          <Group gap="xs" mb="sm">
            <Tag tone="good">{formatNumber(data.added)} added</Tag>
            <Tag tone="bad">{formatNumber(data.removed)} removed</Tag>
            <Tag tone="warn">{formatNumber(data.changed)} changed</Tag>
            <Text size="sm" c="dimmed">
              {pluralize(data.unchanged, "row")} unchanged
            </Text>
            {isFetching && <Loader size="xs" aria-label="Comparing" />}
          </Group>
          <MultiSelect
            label="Rows are the same if these columns are"
            description={
              chosen.length > 0
                ? undefined
                : data.key.length > 0
                  ? `Found: ${data.key.join(", ")}`
                  : "No column names each row, so whole rows are compared"
            }
            data={[...new Set(data.columns.map(({ name }) => name))]}
            value={chosen}
            onChange={setChosen}
            maxValues={8}
            clearable
            mb="sm"
          />
        </>
      )}
      {error ? <ErrorNotice error={error} onRetry={() => void refetch()} /> : null}
      {data && !error && (
        <>
          <Totals comparison={data} />
          {data.rows.length === 0 ? (
            <Text size="sm">The rows are the same.</Text>
          ) : (
            <>
              <Rows comparison={data} />
              <Group gap="sm" mt="sm">
                <Text size="sm" c="dimmed">
                  {data.hasMoreRows ? `The first ${formatNumber(data.rows.length)} rows. ` : ""}All of them:
                </Text>
                {(["csv", "json", "parquet"] as const).map((format) => (
                  <a key={format} href={`/api/runs/${to}/differences.${format}?${query}`} download>
                    {format === "csv" ? "CSV" : format === "json" ? "JSON" : "Parquet"}
                  </a>
                ))}
              </Group>
            </>
          )}
        </>
      )}
    </Dialog>
  );
}

const stateWords = {
  same: "",
  added: "new column",
  removed: "column is gone",
  other_type: "has another type",
};

/** What changed in each column, as far as something did. */
function Totals({ comparison: { columns } }: { comparison: Comparison }) {
  const words = columns.flatMap(({ name, state, changedCells, sumChange }) => {
    const facts = [
      stateWords[state],
      changedCells > 0 ? pluralize(changedCells, "changed cell") : "",
      sumChange !== null && sumChange !== "0"
        ? `sum ${sumChange.startsWith("-") ? "" : "+"}${sumChange}`
        : "",
    ].filter((fact) => fact !== "");
    return facts.length > 0 ? [`${name}: ${facts.join(", ")}`] : [];
  });
  return words.length > 0 ? (
    <Text size="sm" mb="sm">
      {words.join("; ")}.
    </Text>
  ) : null;
}

function Rows({ comparison: { columns, rows } }: { comparison: Comparison }) {
  return (
    <Scrollable label="Rows that differ" className={classes.rows ?? ""}>
      <Table aria-label="Rows that differ" verticalSpacing={4} stickyHeader>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Change</Table.Th>
            {columns.map(({ name }, at) => (
              <Table.Th key={at}>{name === "" ? "(no name)" : name}</Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row, at) => (
            <Table.Tr key={at} data-change={row.change} className={classes.row ?? ""}>
              <Table.Td>{row.change}</Table.Td>
              {row.cells.map((cell, column) => {
                const before = row.before.find((one) => one.column === column);
                return (
                  <Table.Td key={column} className={before ? (classes.changed ?? "") : ""}>
                    {before && (
                      <>
                        <del>{before.cell ?? "NULL"}</del>{" "}
                      </>
                    )}
                    {before ? (
                      <ins>{cell ?? "NULL"}</ins>
                    ) : (
                      (cell ?? (
                        <Text span c="dimmed">
                          NULL
                        </Text>
                      ))
                    )}
                  </Table.Td>
                );
              })}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Scrollable>
  );
}
