import { TrinoCredentials, TrinoSettings } from "@querybell/domain/databases";
import { z } from "zod";
import type { Engine } from "../engine.ts";
import { trinoDialect } from "./dialect.ts";

export const TrinoConfiguration = z.strictObject({ ...TrinoSettings.shape, credentials: TrinoCredentials });
export type TrinoConfiguration = z.infer<typeof TrinoConfiguration>;

export const trinoEngine: Engine<TrinoConfiguration> = {
  configuration: TrinoConfiguration,
  // Trino ends such a query only after minutes.
  queriesOutliveClients: true,
  dialect: trinoDialect,
  secrets: ["credentials"],
  server: ({ host, port }) => ({ host, port }),
  files: () => [],
};
