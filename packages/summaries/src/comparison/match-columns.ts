import type { Field } from "@querybell/domain/results";

/** A column of either result or of both. */
export interface MatchedColumn {
  field: Field;
  /** Undefined if the earlier result does not have it. */
  before: number | undefined;
  /** Undefined if the newer result does not have it. */
  after: number | undefined;
}

/** Columns are found again by their names; of repeated names the first by the first, and so on. */
export function matchColumns(before: readonly Field[], after: readonly Field[]): MatchedColumn[] {
  const places = new Map<string, number[]>();
  for (const [at, { name }] of before.entries()) places.set(name, [...(places.get(name) ?? []), at]);
  const matched = after.map(
    (field, at): MatchedColumn => ({ field, before: places.get(field.name)?.shift(), after: at }),
  );
  const gone = [...places.values()].flat().toSorted((one, other) => one - other);
  for (const at of gone) {
    const field = before[at];
    if (field) matched.push({ field, before: at, after: undefined });
  }
  return matched;
}

/** A column of both results. */
export interface CommonColumn {
  field: Field;
  before: number;
  after: number;
}

export const commonColumns = (columns: readonly MatchedColumn[]): CommonColumn[] =>
  columns.flatMap(({ field, before, after }) =>
    before === undefined || after === undefined ? [] : [{ field, before, after }],
  );
