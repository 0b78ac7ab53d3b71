/** Parses a row of a stored result without a schema, which would take much longer than the rest. */
export function readRow(json: string): unknown[] {
  const row: unknown = JSON.parse(json);
  if (!Array.isArray(row)) throw new Error("A row of a stored result is not a list.");
  return row;
}
