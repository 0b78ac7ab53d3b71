import { changedRowsLimits } from "@querybell/domain/changed-rows";
import type { JsonValue } from "@querybell/domain/results";
import type { ChangedRow } from "../evaluate/outcomes.ts";

const cellLists = ["now", "before", "key"] as const;
type CellList = (typeof cellLists)[number];

/** The names of the fields and their brackets. */
const overheadBytes = 200;
/** `null`, and a position with a comma. */
const omittedCellBytes = 12;

/** The JSON of a row as an event has it. Cells that cannot be in it are left out: as few as possible, the largest first. */
export function writeChangedRow({ change, key, now, before }: ChangedRow, maxBytes: number): string {
  const lists: Record<CellList, readonly JsonValue[] | null> = { now, before, key };
  if (!cellLists.some((list) => lists[list]?.some((cell) => isTooDeep(cell)))) {
    const json = JSON.stringify({ change, key, now, before, omittedCells: null });
    if (Buffer.byteLength(json) <= maxBytes) return json;
  }
  const cells = cellLists.flatMap((list) =>
    Array.from(lists[list] ?? [], (cell, column) => {
      const isDeep = isTooDeep(cell);
      return { list, column, isDeep, bytes: isDeep ? 0 : Buffer.byteLength(JSON.stringify(cell)) + 1 };
    }),
  );
  const deep = cells.filter(({ isDeep }) => isDeep);
  let bytes = cells.reduce((sum, cell) => sum + cell.bytes, overheadBytes + deep.length * omittedCellBytes);
  const omitted = new Set(deep);
  // The sort is stable: of cells that are equal, the one of the key is left out last.
  for (const cell of cells.toSorted((one, other) => other.bytes - one.bytes)) {
    if (bytes <= maxBytes) break;
    omitted.add(cell);
    bytes += omittedCellBytes - cell.bytes;
  }
  const positions = (list: CellList) =>
    [...omitted].filter((cell) => cell.list === list).map(({ column }) => column);
  const omittedCells = { key: positions("key"), now: positions("now"), before: positions("before") };
  const rest = (list: CellList) => {
    const without = new Set(omittedCells[list]);
    return lists[list]?.map((cell, column) => (without.has(column) ? null : cell)) ?? null;
  };
  return JSON.stringify({ change, key: rest("key"), now: rest("now"), before: rest("before"), omittedCells });
}

/** Whether a cell is nested so deeply that parsers refuse it. Writing it could overflow the stack. */
function isTooDeep(cell: JsonValue, levels: number = changedRowsLimits.levelsOfCell): boolean {
  if (typeof cell !== "object" || cell === null) return false;
  if (levels === 0) return true;
  return (Array.isArray(cell) ? cell : Object.values(cell)).some((inner) => isTooDeep(inner, levels - 1));
}
