import { DuckdbFile } from "@querybell/domain/engines/duckdb";
import { z } from "zod";
import type { Engine } from "../engine.ts";
import { duckdbDialect } from "./dialect.ts";

const UploadsFile = z
  .string()
  .regex(/^uploads\/(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\/){2}uploads\.duckdb$/);

/** The file's path, relative to the data folder. Null: a database without tables, which has no file yet. */
const DuckdbConfiguration = z.strictObject({
  file: z.union([DuckdbFile.max(100), UploadsFile]).nullable(),
});
export type DuckdbConfiguration = z.infer<typeof DuckdbConfiguration>;

export const duckdbEngine: Engine<"duckdb", DuckdbConfiguration> = {
  database: z.strictObject({ engine: z.literal("duckdb"), configuration: DuckdbConfiguration }),
  configure: ({ settings }, { slug }) => ({ file: duckdbFileName(slug, settings.file) }),
  server: () => undefined,
  // A database that was not closed properly has unmerged changes in the write-ahead log.
  files: ({ file }) => (file === null ? [] : [file, `${file}.wal`]),
  dialect: duckdbDialect,
  queriesOutliveClients: false,
  loadDriver: async () => (await import("./connect-duckdb.ts")).duckdbDriver,
};

/** The file of an organization in the folder. A slug has no dot, so no organization can name a file of another. */
export const duckdbFileName = (slug: string, file: string): string => `${slug}.${file}`;

/** The database with the tables that an organization made of its uploads. */
export const uploadsDatabase = (file: string | null) =>
  ({ engine: "duckdb", configuration: { file } }) as const;
