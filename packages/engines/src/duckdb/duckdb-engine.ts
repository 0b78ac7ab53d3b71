import { DuckdbFile } from "@querybell/domain/databases";
import { z } from "zod";
import type { Engine } from "../engine.ts";
import { duckdbDialect } from "./dialect.ts";

/** The tables that an organization made of its uploads. */
const UploadsFile = z
  .string()
  .regex(/^uploads\/(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\/){2}uploads\.duckdb$/);

/** The file's path, relative to the data folder. Null: a database without tables, which has no file yet. */
export const DuckdbConfiguration = z.strictObject({
  file: z.union([DuckdbFile.max(100), UploadsFile]).nullable(),
});
export type DuckdbConfiguration = z.infer<typeof DuckdbConfiguration>;

export const duckdbEngine: Engine<DuckdbConfiguration> = {
  configuration: DuckdbConfiguration,
  queriesOutliveClients: false,
  dialect: duckdbDialect,
  secrets: [],
  server: () => undefined,
  // A database that was not closed properly has unmerged changes in the write-ahead log.
  files: ({ file }) => (file === null ? [] : [file, `${file}.wal`]),
};
