import { Button } from "@mantine/core";
import { api, trpc } from "../../../api.ts";
import { ErrorNotice } from "../../../errors/error-notice.tsx";
import { formatNumber, pluralize } from "../../../format/pluralize.ts";
import { shownText } from "../../../results/cell-text.ts";
import classes from "./table-details.module.css";
import { useTableRead } from "./use-table-read.ts";
import { Waiting } from "./waiting.tsx";

interface ColumnProfileProps {
  id: string;
  schema: string;
  table: string;
  column: string;
}

/** What a column holds: nulls, different values, range, most frequent values. */
export function ColumnProfile({ id, schema, table, column }: ColumnProfileProps) {
  const input = { id, schema, table, column };
  const { data, error, isReading, read, cancel } = useTableRead({
    queryKey: trpc.databases.profile.queryKey(input),
    read: (options) => api.databases.profile.query(input, options),
  });
  if (error) return <ErrorNotice error={error} onRetry={read} />;
  if (isReading) return <Waiting onCancel={cancel}>Reading the column…</Waiting>;
  if (!data) {
    return (
      <Button variant="default" size="compact-sm" onClick={read}>
        Read the column
      </Button>
    );
  }
  const { type, rows, isSample, nulls, distinct, range, frequent } = data;
  return (
    <dl className={classes.facts}>
      <dt>Computed from</dt>
      <dd>{isSample ? `the first ${pluralize(rows, "row")}` : `all ${pluralize(rows, "row")}`}</dd>
      <dt>NULL</dt>
      <dd>{formatNumber(nulls)}</dd>
      {distinct !== null && (
        <>
          <dt>Different values</dt>
          <dd>{formatNumber(distinct)}</dd>
        </>
      )}
      {range && (
        <>
          <dt>Range</dt>
          <dd>
            {shownText(range.least, { name: "", type: type })} to{" "}
            {shownText(range.greatest, { name: "", type: type })}
          </dd>
        </>
      )}
      {frequent.length > 0 && (
        <>
          <dt>Most frequent</dt>
          <dd>
            {frequent
              .map(
                ({ value, count }) =>
                  `${shownText(value, { name: "", type: type })} (${formatNumber(count)})`,
              )
              .join(", ")}
          </dd>
        </>
      )}
    </dl>
  );
}
