import { type Field, maxFigureColumns, type PastFigures } from "@querybell/domain/results";
import { isNumeric } from "../checked-summaries/select-rows.ts";
import { parseDecimal, toDecimalText } from "../digest/decimals.ts";
import { columnFigures } from "../digest/numeric-column.ts";
import type { ResultTable } from "./result-table.ts";

const maxNameCharacters = 200;
/** Longer numbers are unreadable. */
const maxDigits = 400;

/** The figures of the columns with numbers. A column whose name another one has too is left out. */
export const pastFigures = (table: ResultTable): PastFigures => ({
  columns: table.fields
    .flatMap((field, column) => (isChosen(table, field) ? [{ field, column }] : []))
    .slice(0, maxFigureColumns)
    .map(({ field, column }) => {
      const { given, notFinite, total, highest, lowest } = columnFigures(table, column);
      const first = parseDecimal(table.rows[0]?.[column]);
      // NaN and infinities have no sum and no order.
      const hasTotals = notFinite === 0 && given > 0;
      return {
        name: field.name,
        first: first && toText(first),
        sum: hasTotals ? toText(total) : null,
        minimum: hasTotals && lowest ? toText(lowest.value) : null,
        maximum: hasTotals && highest ? toText(highest.value) : null,
        given,
      };
    }),
});

const isChosen = ({ fields }: ResultTable, { name, type }: Field): boolean =>
  isNumeric(type) &&
  name.length <= maxNameCharacters &&
  fields.filter((other) => other.name === name).length === 1;

function toText(decimal: Parameters<typeof toDecimalText>[0]): string | null {
  const text = toDecimalText(decimal);
  return text.length <= maxDigits ? text : null;
}
