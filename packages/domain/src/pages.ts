import { z } from "zod";

export const maxPageSize = 100;

/**
 * The maximum total size of the large texts in one page. The page ends before the item that would exceed it, but has at
 * least one item. Such a page has fewer items than `limit`, and a cursor.
 */
export const maxPageBytes = 256 * 1024;

/**
 * Newest first. Only cursors lead from page to page: the last page carries none. The size may change from page
 * to page, every other field may not.
 *
 * Lists of queries and references show one moment: every page as it was when the first was read. All others
 * are live: what comes or goes while somebody pages does so on the pages too.
 */
export const ListPage = z.strictObject({
  limit: z.int().min(1, "must be at least 1").max(maxPageSize, `must be at most ${maxPageSize}`).default(20),
  cursor: z.string().min(1).max(2000).optional().describe("The `nextCursor` of the page before"),
});
export type ListPage = z.infer<typeof ListPage>;

export interface Page<Item> {
  items: Item[];
  nextCursor?: string;
}

export const pageOf = <Item extends z.ZodType>(item: Item) =>
  z.object({ items: z.array(item), nextCursor: z.string().optional().describe("Absent on the last page") });
