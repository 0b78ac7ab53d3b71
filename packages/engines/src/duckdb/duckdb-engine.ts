import { DuckdbFile } from "@querybell/domain/databases";
import { z } from "zod";
import type { Engine } from "../engine.ts";
import { duckdbDialect } from "./dialect.ts";

/** The file's name in the data folder, as it lies there. */
export const DuckdbConfiguration = z.strictObject({ file: DuckdbFile.max(100) });
export type DuckdbConfiguration = z.infer<typeof DuckdbConfiguration>;

export const duckdbEngine: Engine<DuckdbConfiguration> = {
  configuration: DuckdbConfiguration,
  outlivesClients: false,
  dialect: duckdbDialect,
  secrets: [],
  server: () => undefined,
  // A database that was not closed in order has the rest of its changes in the second one.
  files: ({ file }) => [file, `${file}.wal`],
};
