import type { Field } from "@querybell/domain/results";
import type { ComparedTables, Difference } from "./compare-tables.ts";

/** The most that a file of differences has. The rest is left out. */
const maxBytes = 64 * 1024 ** 2;
const maxPieceCharacters = 64 * 1024;

/**
 * The rows that differ, as the JSON of a result: how each has changed, its cells, and for each column that is not in the
 * key its cell before, if that was another one. Cells are copied as they are.
 */
export function* writeDifferences(
  compared: ComparedTables,
): Generator<string, { rows: number; bytes: number }> {
  const { columns, key, differences } = compared;
  const fields: Field[] = [{ name: "change", type: "string" }];
  for (const { field, before } of columns) {
    fields.push(field);
    if (before !== undefined && !key.includes(field.name))
      fields.push({ ...field, name: `${field.name} (before)` });
  }
  let piece = `{"fields":${JSON.stringify(fields)},"rows":[`;
  let [rows, bytes] = [0, 0];
  for (const difference of differences) {
    const text = `${rows === 0 ? "" : ","}${writeRow(compared, difference)}`;
    if (bytes + piece.length + text.length > maxBytes) break;
    piece += text;
    rows++;
    if (piece.length < maxPieceCharacters) continue;
    bytes += Buffer.byteLength(piece);
    yield piece;
    piece = "";
  }
  piece += `],"rowCount":${rows}}`;
  yield piece;
  return { rows, bytes: bytes + Buffer.byteLength(piece) };
}

function writeRow({ before, after, columns, key }: ComparedTables, difference: Difference): string {
  const cells = [JSON.stringify(difference.change)];
  for (const [at, column] of columns.entries()) {
    const earlier =
      difference.before === undefined || column.before === undefined
        ? "null"
        : before.cellText(difference.before, column.before);
    const newer =
      difference.after === undefined || column.after === undefined
        ? "null"
        : after.cellText(difference.after, column.after);
    cells.push(difference.change === "removed" ? earlier : newer);
    if (column.before === undefined || key.includes(column.field.name)) continue;
    cells.push(difference.changedColumns.includes(at) ? earlier : "null");
  }
  return `[${cells.join(",")}]`;
}
