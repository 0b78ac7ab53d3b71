import type { Field } from "@querybell/domain";
import type { Figure } from "../checked-summaries/declaration.ts";
import { type ColumnFigures, columnFigures } from "./column-figures.ts";
import { measureOf } from "./column-roles.ts";
import type { Decimal } from "./decimals.ts";
import type { Tables } from "./digest-table.ts";
import { figurePhrase, type Phrase } from "./phrase.ts";
import { columnName } from "./plain-text.ts";
import { columnNamed, columnsWithRole, roleAt } from "./row-names.ts";
import { writeShort } from "./write-number.ts";

// More would not fit into a digest, and reading a column of a large result takes time.
const maxColumns = 8;

/** A numeric column, and its previous figures if they can be compared. */
export interface NumericColumn {
  position: number;
  field: string;
  /** As it is written in a sentence. */
  name: string;
  isAmount: boolean;
  measure: ReturnType<typeof measureOf>;
  now: ColumnFigures;
  before: ColumnFigures | null;
}

/** The numeric columns, those whose totals mean something first. */
export function readColumns({ now, before }: Tables): NumericColumn[] {
  const positions = [...columnsWithRole(now, "amount"), ...columnsWithRole(now, "level")];
  return positions.slice(0, maxColumns).flatMap((position): NumericColumn[] => {
    const field = now.fields[position];
    // A number is declared by the name of its column.
    if (!field || columnNamed(now, field.name) === null) return [];
    const role = roleAt(now, position);
    const earlier = before ? columnNamed(before, field.name) : null;
    const isComparable = before && earlier !== null && roleAt(before, earlier) === role;
    return [
      {
        position,
        field: field.name,
        name: isCount(field) ? `number ${columnName(field.name)}` : columnName(field.name),
        isAmount: role === "amount",
        measure: measureOf(field),
        now: columnFigures(now, position),
        before: isComparable ? columnFigures(before, earlier) : null,
      },
    ];
  });
}

/** What was counted, where a column has no noun in its name: "has the highest number sold". */
const countedWords: ReadonlySet<string> = new Set(
  "sold shipped returned ordered delivered cancelled canceled refunded opened closed completed failed sent received".split(
    " ",
  ),
);

const isCount = ({ name, type }: Field): boolean =>
  type === "integer" && countedWords.has(name.toLowerCase());

/** Whether a verb after this name is in the plural. */
export const isPlural = ({ name }: NumericColumn): boolean => /[^sui]s"?$/i.test(name);

/** A number of a column, and where it comes from. */
export interface Measured {
  value: Decimal;
  of: Figure;
}

export function writeMeasured({ measure }: NumericColumn, { value, of }: Measured): Phrase {
  const written = writeShort(value);
  return figurePhrase(measure === "percent" && /^-?[\d.,]+$/.test(written) ? `${written}%` : written, of);
}
