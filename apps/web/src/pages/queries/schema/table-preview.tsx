import { Button, Table, Text } from "@mantine/core";
import { isNumeric } from "@querybell/charts/chart-data";
import { api, trpc } from "../../../api.ts";
import { ErrorNotice } from "../../../errors/error-notice.tsx";
import { pluralize } from "../../../format/pluralize.ts";
import { shownText } from "../../../results/cell-text.ts";
import { Scrollable } from "../../../ui/scrollable.tsx";
import classes from "./table-details.module.css";
import { useTableRead } from "./use-table-read.ts";
import { Waiting } from "./waiting.tsx";

interface TablePreviewProps {
  id: string;
  schema: string;
  table: string;
}

/** The first rows of a table. */
export function TablePreview(input: TablePreviewProps) {
  const { data, error, isReading, read, cancel } = useTableRead({
    queryKey: trpc.databases.preview.queryKey(input),
    read: (options) => api.databases.preview.query(input, options),
  });
  if (error) return <ErrorNotice error={error} onRetry={read} />;
  if (isReading) return <Waiting onCancel={cancel}>Reading the rows…</Waiting>;
  if (!data) {
    return (
      <Button variant="default" size="compact-sm" onClick={read}>
        Read the rows
      </Button>
    );
  }
  const { fields, rows, hasMore } = data;
  if (rows.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        {hasMore ? "Its rows are too large to be shown here." : "The table has no rows."}
      </Text>
    );
  }
  return (
    <>
      <Scrollable className={classes.scroll} label={`First rows of ${input.table}`}>
        <Table striped="even" verticalSpacing={4}>
          <Table.Thead>
            <Table.Tr>
              {fields.map(({ name, type }, index) => (
                <Table.Th key={index} className={isNumeric(type) ? classes.number : ""}>
                  {name}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.map((row, number) => (
              <Table.Tr key={number}>
                {fields.map(({ type }, index) => (
                  <Table.Td
                    key={index}
                    className={`${classes.cell} ${isNumeric(type) ? classes.number : ""}`}
                  >
                    {shownText(row[index], { name: "", type })}
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Scrollable>
      <Text size="xs" c="dimmed" mt={4}>
        {hasMore ? `The first ${pluralize(rows.length, "row")}.` : `All ${pluralize(rows.length, "row")}.`}
      </Text>
    </>
  );
}
