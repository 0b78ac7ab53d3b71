import { DuckdbFile } from "@querybell/domain/databases";
import { z } from "zod";
import type { Engine } from "../engine.ts";
import { duckdbDialect } from "./dialect.ts";

/** `file` is the name of a file in the data folder. */
export const DuckdbConfiguration = z.strictObject({ file: DuckdbFile.max(100) });
export type DuckdbConfiguration = z.infer<typeof DuckdbConfiguration>;

export const duckdbEngine: Engine<DuckdbConfiguration> = {
  configuration: DuckdbConfiguration,
  queriesOutliveClients: false,
  dialect: duckdbDialect,
  secrets: [],
  server: () => undefined,
  // A database that was not closed properly has unmerged changes in the write-ahead log.
  files: ({ file }) => [file, `${file}.wal`],
};
