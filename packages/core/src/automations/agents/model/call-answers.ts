import type { CheckedSummary, ResultPreview } from "@querybell/domain";
import { toPlainTable } from "../../../databases/tables-for-models.ts";
import { toPlain } from "../../../plain-text.ts";
import type { DescribedSchema } from "../tools/describe-schema.ts";

const maxColumns = 40;

/** Rows for the model, each with its number in the result. */
export function toRows(
  { fields, rows, rowCount, cut }: ResultPreview,
  numberOf: (index: number) => number | undefined,
) {
  return {
    columns: fields.slice(0, maxColumns).map(({ name, type }) => ({ name: toPlain(name, 100), type })),
    rowCount,
    ...(cut && { cut: "A limit cut the result: there are more rows than these." }),
    rows: rows.map((row, index) => {
      const number = numberOf(index);
      const cells = row
        .slice(0, maxColumns)
        .map((cell) => (typeof cell === "string" ? toPlain(cell, 101) : cell));
      return number === undefined ? { cells } : { row: number, cells };
    }),
  };
}

/** Tables for the model. Names of tables and columns are data too. */
export const toPlainTables = ({ tables, isCut, schemas }: DescribedSchema) => ({
  tables: tables.map(toPlainTable),
  ...(isCut && { cut: "There are more tables than these. Name a schema, or say what their names contain." }),
  ...(schemas && { schemas: schemas.map((schema) => toPlain(schema, 200)) }),
});

const maxAnswerLength = 24_000;

/** The answer of a tool, as the model reads it. */
export function toAnswer(data: object): string {
  const text = JSON.stringify(data);
  return text.length > maxAnswerLength
    ? JSON.stringify({ problem: "The answer is too long. Ask for fewer rows or columns." })
    : text;
}

export interface CallAnswer {
  /** The answer for the model. */
  text: string;
  /** Of a call of write_summary. */
  summary?: CheckedSummary;
}

/** Tells the model what went wrong, so that it can call again. */
export const toProblem = (reason: string): CallAnswer => ({
  text: JSON.stringify({ problem: toPlain(reason, 1_000) }),
});
