import { EmbeddedFileName } from "@querybell/domain/engines/duckdb";
import type { BoundType, Dialect } from "@querybell/statements";
import { castingSlots } from "@querybell/statements/dialect";
import { z } from "zod";
import type { Engine } from "../engine.ts";

const typeNames: Record<BoundType, string> = {
  text: "VARCHAR",
  int4: "INTEGER",
  int8: "BIGINT",
  number: "DOUBLE",
  boolean: "BOOLEAN",
  date: "DATE",
  timestamp: "TIMESTAMPTZ",
};

const quote = (text: string) => `'${text.replaceAll("'", "''")}'`;

export const duckdbDialect: Dialect = {
  name: "DuckDB",
  space: /[ \t\n\r\f\v\u00A0\u2000-\u200D\u202F\u205F\u2060\u3000\uFEFF]+/y,
  hasEscapeStrings: true,
  hasDollarStrings: true,
  nestsComments: true,
  driverParameter: /\?\d*|\$\w+/y,
  parameter: (index) => `$${index}`,
  slots: castingSlots({ typeNames, quote }),
  arrayOf: (type) => ({ open: "(ARRAY[", close: `]::${typeNames[type]}[])` }),
  emptyMembership: { in: "= ANY", notIn: "<> ALL", list: "[]" },
  // Without INTERVAL: DuckDB accepts INTERVAL ('3 days') and INTERVAL ('3') DAY.
  literalTypes: new Set(["date", "time", "timestamp", "timestamptz"]),
  bindsTypedLiterals: false,
};

const UploadsFile = z
  .string()
  .regex(/^uploads\/(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\/){2}uploads\.duckdb$/);

/** The file's path, relative to the data folder. Null: a database without tables, which has no file yet. */
const DuckdbConfiguration = z.strictObject({
  file: z.union([EmbeddedFileName.max(100), UploadsFile]).nullable(),
});
export type DuckdbConfiguration = z.infer<typeof DuckdbConfiguration>;

export const duckdbEngine: Engine<"duckdb", DuckdbConfiguration> = {
  database: z.strictObject({ engine: z.literal("duckdb"), configuration: DuckdbConfiguration }),
  configure: ({ settings }, { slug }) => ({ file: duckdbFileName(slug, settings.file) }),
  server: () => undefined,
  // A database that was not closed properly has unmerged changes in the write-ahead log.
  files: ({ file }) => (file === null ? [] : [file, `${file}.wal`]),
  dialect: duckdbDialect,
  hasSnapshots: true,
  queriesOutliveClients: false,
  loadDriver: async () => (await import("./duckdb-session.ts")).duckdbDriver,
};

/** The file of an organization in the folder. A slug has no dot, so no organization can name a file of another. */
export const duckdbFileName = (slug: string, file: string): string => `${slug}.${file}`;

/** The database with the tables that an organization made of its uploads. */
export const uploadsDatabase = (file: string | null) =>
  ({ engine: "duckdb", configuration: { file } }) as const;
