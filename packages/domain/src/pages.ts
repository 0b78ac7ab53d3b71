import { z } from "zod";

/** Newest first. Only cursors lead from page to page: the last page carries none. */
export const ListPage = z.strictObject({
  limit: z.int().min(1, "must be at least 1").max(100, "must be at most 100").default(20),
  cursor: z.string().min(1).max(2000).optional(),
});
export type ListPage = z.infer<typeof ListPage>;

export interface Page<Item> {
  items: Item[];
  nextCursor?: string;
}

export const pageOf = <Item extends z.ZodType>(item: Item) =>
  z.object({ items: z.array(item), nextCursor: z.string().optional() });
