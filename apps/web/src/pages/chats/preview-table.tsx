import { Table } from "@mantine/core";
import type { FieldType, ResultPreview } from "@querybell/domain";
import { useEffect, useRef } from "react";
import { cellText, isNumeric } from "../../results/cell-text.ts";
import { Scrollable } from "../../ui/scrollable.tsx";
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
    <Scrollable className={classes.scroll} label="Rows of the result">
      <Table withRowBorders stickyHeader striped="even" verticalSpacing={4}>
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
                <Table.Td key={index} ta={align} className={canBreak(type) ? undefined : classes.unbroken}>
                  {cellText(row[index], type)}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Scrollable>
  );
}

const alignOf = (type: FieldType): "left" | "right" => (isNumeric(type) ? "right" : "left");

const canBreak = (type: FieldType): boolean => ["string", "json", "binary"].includes(type);
