/** A table of a stored database, by its names there. */
export interface NamedTable {
  schema: string;
  table: string;
}

/** Every engine quotes names in this way. */
const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`;

const sourceOf = ({ schema, table }: NamedTable): string => `${quote(schema)}.${quote(table)}`;

export const selectFirstRows = (table: NamedTable, rows: number): string =>
  `SELECT * FROM ${sourceOf(table)} LIMIT ${rows}`;

interface SampledColumn extends NamedTable {
  column: string;
  /** How many rows are read at most. */
  maxRows: number;
}

const sampleOf = ({ column, maxRows, ...table }: SampledColumn): string =>
  `(SELECT ${quote(column)} AS c FROM ${sourceOf(table)} LIMIT ${maxRows}) AS sampled`;

/** What is computed of a column. Not every type can be compared for equality, or has an order. */
export interface Measures {
  distinct: boolean;
  range: boolean;
}

/**
 * One row: the rows of the table up to one more than `maxRows`, the rows that were read, how many are not null, how many
 * values differ, and the least and the greatest.
 */
export function selectMeasures(column: SampledColumn, { distinct, range }: Measures): string {
  const { maxRows, ...table } = column;
  const counted = `(SELECT count(*) FROM (SELECT 1 AS one FROM ${sourceOf(table)} LIMIT ${maxRows + 1}) AS counted)`;
  const measures = [
    `${counted} AS counted_rows`,
    "count(*) AS read_rows",
    "count(c) AS filled",
    `${distinct ? "count(DISTINCT c)" : "NULL"} AS different`,
    `${range ? "min(c)" : "NULL"} AS least`,
    `${range ? "max(c)" : "NULL"} AS greatest`,
  ];
  return `SELECT ${measures.join(", ")} FROM ${sampleOf(column)}`;
}

/** The most frequent values with their counts. */
export const selectFrequentValues = (column: SampledColumn, values: number): string =>
  `SELECT c, count(*) AS n FROM ${sampleOf(column)} WHERE c IS NOT NULL GROUP BY c ORDER BY n DESC, c LIMIT ${values}`;
