import { gunzipSync } from "node:zlib";
import { Field } from "@querybell/domain/results";
import { z } from "zod";
import type { JsonValue } from "../results/json-value.ts";

/** Of the JSON of one result. More would not fit into a host beside the result before. */
export const maxReadableBytes = 64 * 1024 ** 2;

const ResultTable = z.object({
  fields: z.array(Field),
  // Our own engines wrote them: looking at each of a million values would cost more than reading them.
  rows: z.custom<JsonValue[][]>(Array.isArray),
  /** Whether a limit cut it short. */
  cut: z.boolean(),
});
/** A stored result as a whole. */
export type ResultTable = z.infer<typeof ResultTable>;

/** Reads the stored form, gzipped JSON. It blocks for as long as that takes: for engine hosts alone. */
export function readTable(gzippedJson: Uint8Array, cut: boolean): ResultTable {
  const json = gunzipSync(gzippedJson, { maxOutputLength: maxReadableBytes });
  return ResultTable.parse({ ...JSON.parse(json.toString()), cut });
}
