import { z } from "zod";
import { Id } from "./ids.ts";
import { Timestamp } from "./time.ts";

/** Finds items that contain all words, each as a prefix. Punctuation separates words. Any text is valid; long ones are cut. */
export const SearchText = z.strictObject({
  text: z.string().describe("Words; each matches as a prefix"),
  kind: z.enum(["query", "reference", "automation", "dashboard"]).optional().describe("If absent: all kinds"),
  limit: z.int().min(1, "must be at least 1").max(50, "must be at most 50").default(20),
});
export type SearchText = z.infer<typeof SearchText>;

const found = {
  title: z.string(),
  detail: z.string().describe("The description, the instruction, or the start of the SQL"),
  updatedAt: Timestamp,
};

export const SearchHit = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("query"), id: Id, ...found }),
  z.object({ kind: z.literal("reference"), id: Id, shortId: z.string(), ...found }),
  z.object({ kind: z.literal("automation"), id: Id, ...found }),
  z.object({ kind: z.literal("dashboard"), id: Id, ...found }),
]);
export type SearchHit = z.infer<typeof SearchHit>;

/** Sorted by rank (words in the title first), then by the last update. */
export const SearchHits = z.object({ items: z.array(SearchHit) });
export type SearchHits = z.infer<typeof SearchHits>;
