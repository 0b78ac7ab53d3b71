import { Table, Text } from "@mantine/core";

interface Preview {
  fields: { name: string }[];
  rows: unknown[][];
  rowCount: number;
}

const isPreview = (output: unknown): output is Preview =>
  typeof output === "object" &&
  output !== null &&
  "fields" in output &&
  "rows" in output &&
  "rowCount" in output;

/** The first rows of a result, where a step's output is one. */
export function PreviewTable({ output }: { output: unknown }) {
  if (!isPreview(output)) return null;
  const { fields, rows, rowCount } = output;
  const head = fields.map(({ name }) => name);
  const body = rows.map((cells) => cells.map((cell) => (cell === null ? "" : String(cell))));
  return (
    <Table.ScrollContainer minWidth={300}>
      <Table data={{ head, body }} />
      <Text size="sm" c="dimmed">
        {rows.length} of {rowCount} rows
      </Text>
    </Table.ScrollContainer>
  );
}
