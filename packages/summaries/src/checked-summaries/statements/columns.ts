import type { Field } from "@querybell/domain";
import { measureOf, roleOf } from "../../digest/column-roles.ts";
import type { ResultTable } from "../../stored-results/result-table.ts";
import { columnLabel, quoteName } from "../safe-name.ts";
import { isNumeric } from "../select-rows.ts";
import { refuse } from "../slot.ts";

const comparable = (name: string): string =>
  name
    .normalize("NFC")
    .toLowerCase()
    .replaceAll(/[\s_]+/g, " ")
    .trim();

const isAlike = (fields: ResultTable["fields"], one: number, other = 0): boolean =>
  comparable(fields[one]?.name ?? "") === comparable(fields[other]?.name ?? "");

/** The position of the column with this name, or with nearly this name: Unit price for unit_price. */
export function findSimilarColumn({ fields }: ResultTable, name: string): number | undefined {
  const all = [...fields.keys()];
  const exact = all.filter((position) => fields[position]?.name === name);
  const near = all.filter((position) => comparable(fields[position]?.name ?? "") === comparable(name));
  // Columns with nearly the same name would read alike.
  const alike = exact[0] === undefined ? near : all.filter((position) => isAlike(fields, position, exact[0]));
  if (alike.length > 1) return refuse(`Several columns are called ${JSON.stringify(name)}, or nearly so.`);
  return exact[0] ?? near[0];
}

export const findColumnNamed = (table: ResultTable, name: string): number =>
  findSimilarColumn(table, name) ??
  refuse(
    `The result has no column ${JSON.stringify(name)}. Its columns: ${table.fields
      .slice(0, 12)
      .map((field) => field.name.slice(0, 40))
      .join(", ")}.`,
  );

export function fieldAt({ fields }: ResultTable, position: number): Field {
  return fields[position] ?? refuse("The result has no such column.");
}

/** The name of a column as it is written. */
export const labelAt = (table: ResultTable, position: number): string =>
  writeLabel(fieldAt(table, position).name, table);

export const writeLabel = (name: string, { isNamedByModel }: Pick<ResultTable, "isNamedByModel">): string =>
  isNamedByModel ? quoteName(name) : columnLabel(name);

/** The named column, or the only one with numbers. */
export function valueColumn(table: ResultTable, name: string | undefined): number {
  if (name !== undefined) return findColumnNamed(table, name);
  const [first, second] = [...table.fields.keys()].filter((position) => isMeasure(fieldAt(table, position)));
  if (first === undefined || second !== undefined) return refuse("Name the column with column=…");
  return first;
}

/** Whether its numbers measure something, and are no identifiers or years. */
export const isMeasure = (field: Field): boolean =>
  isNumeric(field.type) && (roleOf(field) === "amount" || roleOf(field) === "level");

export const isAmount = (field: Field): boolean => roleOf(field) === "amount";
/** Whether a total can mean something. That of identifiers, years, rates and percentages cannot; that of prices may. */
export const isSummable = (field: Field): boolean => isMeasure(field) && isPlainNumber(field);
export const isPercentColumn = (field: Field): boolean => measureOf(field) === "percent";
export const isPlainNumber = (field: Field): boolean => measureOf(field) === "number";
