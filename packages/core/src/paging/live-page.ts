import { CursorError, type Key, type Sequence } from "@querybell/cursors";
import { AppError, type ListPage, maxPageBytes, type Page } from "@querybell/domain";
import type { Deps } from "../deps.ts";

/** A page of a sequence. Only the page size may differ between the pages of one sequence. */
export type PageOf = Sequence & Pick<ListPage, "limit"> & { cursor: string | undefined };

/** The key before the first row of a list that is sorted newest first. */
export const startKey = { createdAt: "infinity", id: "ffffffff-ffff-ffff-ffff-ffffffffffff" };

/** Opens a cursor. Converts the error of an invalid or expired cursor to an AppError. */
export function openCursor<Position>(open: () => Position): Position {
  try {
    return open();
  } catch (error) {
    throw error instanceof CursorError ? cursorToAppError(error) : error;
  }
}

export const cursorToAppError = (error: CursorError): AppError =>
  new AppError(error.code, error.message, { cause: error });

export interface Keyset {
  after: Key | undefined;
  take: number;
}

/**
 * Reads a page of a live list: items that are created or deleted during paging appear or disappear. Reads one row more
 * than `limit` to know whether another page follows.
 */
export async function readLivePage<Row extends Key>(
  { cursors }: Pick<Deps, "cursors">,
  { limit, cursor, ...sequence }: PageOf,
  find: (keyset: Keyset) => Promise<Row[]>,
  cut: (rows: Row[]) => Row[] = (rows) => rows,
): Promise<Page<Row>> {
  const after = cursor === undefined ? undefined : openCursor(() => cursors.openLive(sequence, cursor));
  const rows = await find({ after, take: limit + 1 });
  const items = cut(rows.slice(0, limit));
  const last = items.at(-1);
  return rows.length > items.length && last
    ? { items, nextCursor: cursors.sealLive(sequence, last) }
    : { items };
}

export interface Measured extends Key {
  bytes: number;
}

/**
 * Reads a page of rows that can be large. First reads only keys and sizes to choose the rows of the page, then their
 * content. A row that is deleted in between is left out.
 */
export async function readByteLimitedPage<Row extends { id: string }>(
  { cursors }: Pick<Deps, "cursors">,
  page: PageOf,
  {
    measure,
    read,
  }: { measure: (keyset: Keyset) => Promise<Measured[]>; read: (ids: string[]) => Promise<Row[]> },
): Promise<Page<Row>> {
  const { items, ...rest } = await readLivePage({ cursors }, page, measure, (rows) =>
    withinBytes(rows, maxPageBytes),
  );
  const rows = new Map((await read(items.map(({ id }) => id))).map((row) => [row.id, row]));
  return { items: items.flatMap(({ id }) => rows.get(id) ?? []), ...rest };
}

/** The first rows with at most `maxBytes` in total, but at least one row. */
export function withinBytes<Row extends Pick<Measured, "bytes">>(rows: Row[], maxBytes: number): Row[] {
  let sum = 0;
  return rows.filter(({ bytes }, index) => {
    sum += bytes;
    return sum <= maxBytes || index === 0;
  });
}

/** The condition and order of a list by creation, newest first. */
export const newestFirst = (after: Key | undefined) => ({
  where: after
    ? { OR: [{ createdAt: { lt: after.createdAt } }, { createdAt: after.createdAt, id: { lt: after.id } }] }
    : {},
  orderBy: [{ createdAt: "desc" as const }, { id: "desc" as const }],
});
