import { z } from "zod";
import type { Engine } from "../engine.ts";
import { duckdbDialect } from "./dialect.ts";

export const DuckdbConfiguration = z.strictObject({
  file: z
    .string()
    .max(100)
    .regex(
      /^[A-Za-z0-9_][A-Za-z0-9_.-]*\.duckdb$/,
      "must be the name of a file in the data folder that ends in .duckdb, without a path",
    ),
});
export type DuckdbConfiguration = z.infer<typeof DuckdbConfiguration>;

export const duckdbEngine: Engine<DuckdbConfiguration> = {
  configuration: DuckdbConfiguration,
  dialect: duckdbDialect,
  secrets: [],
  networkHost: () => undefined,
};
