import { gunzipSync } from "node:zlib";
import type { JsonValue } from "@querybell/domain/results";
import { Field } from "@querybell/domain/results";
import { z } from "zod";

/** The largest JSON of one result that can be read. A host must have room for two. */
export const maxReadableBytes = 64 * 1024 ** 2;

const ResultTable = z.object({
  fields: z.array(Field),
  // Values are not validated one by one: an engine host wrote them, and there can be millions.
  rows: z.custom<JsonValue[][]>(Array.isArray),
  /** Whether a limit truncated it. */
  cut: z.boolean(),
});
/** A whole stored result. */
export type ResultTable = z.infer<typeof ResultTable>;

/** Parses a stored result, which is gzipped JSON. Blocks the event loop, so only engine hosts may call it. */
export function readTable(gzippedJson: Uint8Array, cut: boolean): ResultTable {
  const json = gunzipSync(gzippedJson, { maxOutputLength: maxReadableBytes });
  return ResultTable.parse({ ...JSON.parse(json.toString()), cut });
}
