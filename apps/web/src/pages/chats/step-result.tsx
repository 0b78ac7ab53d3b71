import { Table, Text } from "@mantine/core";
import type { ResultPreview } from "@querybell/domain";
import classes from "./step-result.module.css";

interface StepResultProps {
  preview: ResultPreview;
  /** Of the reference that was run. */
  shortId: string | undefined;
}

const numeric = new Set(["integer", "number", "decimal"]);

/** What a step found. */
export function StepResult({ preview: { fields, rows, rowCount }, shortId }: StepResultProps) {
  return (
    <figure className={classes.result}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
      <section className={classes.scroll} tabIndex={0} aria-label="Rows of the result">
        <Table withRowBorders striped="even" verticalSpacing={4}>
          <Table.Thead>
            <Table.Tr>
              {fields.map(({ name, type }) => (
                <Table.Th key={name} ta={numeric.has(type) ? "right" : "left"}>
                  {name}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.map((row, at) => (
              <Table.Tr key={at}>
                {row.map((cell, column) => (
                  <Table.Td
                    key={fields[column]?.name ?? column}
                    ta={numeric.has(fields[column]?.type ?? "") ? "right" : "left"}
                  >
                    {cell === null ? "" : String(cell)}
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </section>
      <Text component="figcaption" size="sm" c="dimmed" mt={4}>
        {rows.length < rowCount ? `The first ${rows.length} of ${rowCount.toLocaleString()} rows. ` : ""}
        {shortId && <a href={`/q/${shortId}`}>Open the reference</a>}
      </Text>
    </figure>
  );
}
