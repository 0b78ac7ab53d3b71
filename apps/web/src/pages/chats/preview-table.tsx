import { Table } from "@mantine/core";
import type { ResultPreview } from "@querybell/domain";
import { useEffect, useRef } from "react";
import { cellText, isNumeric } from "../../results/cell-text.ts";
import classes from "./step-result.module.css";

interface PreviewTableProps {
  preview: ResultPreview;
  /** Row numbers, counted from 1, to mark and to scroll to. */
  marked?: readonly number[] | undefined;
}

/** The first rows of a result. */
export function PreviewTable({ preview: { fields, rows }, marked }: PreviewTableProps) {
  const first = useRef<HTMLTableRowElement>(null);
  useEffect(() => {
    if (marked) first.current?.scrollIntoView({ block: "center" });
  }, [marked]);
  const firstMarked = marked?.find((number) => number <= rows.length);
  const columns = fields.map(({ name, type }, index) => ({ name, type, index, align: alignOf(type) }));
  return (
    // biome-ignore lint/a11y/useSemanticElements: a chat has several, and sections need names of their own.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
    <div role="group" className={classes.scroll} tabIndex={0} aria-label="Rows of the result">
      <Table withRowBorders striped="even" verticalSpacing={4}>
        <Table.Thead>
          <Table.Tr>
            {columns.map(({ name, index, align }) => (
              <Table.Th key={index} ta={align}>
                {name}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row, number) => (
            <Table.Tr
              key={number}
              ref={number + 1 === firstMarked ? first : null}
              {...(marked?.includes(number + 1) && { className: classes.marked, "aria-current": true })}
            >
              {columns.map(({ type, index, align }) => (
                <Table.Td key={index} ta={align}>
                  {cellText(row[index], type)}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}

const alignOf = (type: ResultPreview["fields"][number]["type"]): "left" | "right" =>
  isNumeric(type) ? "right" : "left";
