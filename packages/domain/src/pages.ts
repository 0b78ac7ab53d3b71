import { z } from "zod";

export const maxPageSize = 100;
export const defaultPageSize = 20;

/**
 * The maximum total size of the large texts in one page. The page ends before the item that would exceed it, but has at
 * least one item. Such a page has fewer items than `limit`, and a cursor.
 */
export const maxPageBytes = 256 * 1024;

/**
 * Newest first. A page has a cursor to the next one; the last page has none. `limit` may change from page to page, every
 * other field must stay the same.
 *
 * Lists of queries and references are snapshots: every page shows the rows as they were when the first page was read.
 * All other lists are live: each page shows the rows as they are when that page is read.
 */
export const ListPage = z.strictObject({
  limit: z
    .int()
    .min(1, "must be at least 1")
    .max(maxPageSize, `must be at most ${maxPageSize}`)
    .default(defaultPageSize),
  cursor: z.string().min(1).max(2000).optional().describe("The `nextCursor` of the page before"),
});
export type ListPage = z.infer<typeof ListPage>;

export interface Page<Item> {
  items: Item[];
  nextCursor?: string;
}

export const pageOf = <Item extends z.ZodType>(item: Item) =>
  z.object({ items: z.array(item), nextCursor: z.string().optional().describe("Absent on the last page") });
