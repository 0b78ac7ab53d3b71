import { TrinoCredentials, TrinoSettings } from "@querybell/domain/engines/trino";
import { z } from "zod";
import type { Engine } from "../engine.ts";
import { trinoDialect } from "./dialect.ts";

const TrinoConfiguration = z.strictObject({ ...TrinoSettings.shape, credentials: TrinoCredentials });
export type TrinoConfiguration = z.infer<typeof TrinoConfiguration>;

export const trinoEngine: Engine<"trino", TrinoConfiguration> = {
  database: z.strictObject({ engine: z.literal("trino"), configuration: TrinoConfiguration }),
  configure: ({ settings, credentials }) => ({ ...settings, credentials }),
  credentialsName: "credentials",
  server: ({ host, port }) => ({ host, port }),
  files: () => [],
  dialect: trinoDialect,
  // Trino ends such a query only after minutes.
  queriesOutliveClients: true,
  loadDriver: async () => (await import("./connect-trino.ts")).trinoDriver,
};
