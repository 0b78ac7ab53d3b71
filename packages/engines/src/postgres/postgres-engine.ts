import { PostgresCredentials, PostgresSettings } from "@querybell/domain/engines/postgres";
import { z } from "zod";
import type { Engine } from "../engine.ts";
import { postgresDialect } from "./dialect.ts";

const PostgresConfiguration = PostgresSettings.extend(PostgresCredentials.shape);
export type PostgresConfiguration = z.infer<typeof PostgresConfiguration>;

export const postgresEngine: Engine<"postgres", PostgresConfiguration> = {
  database: z.strictObject({ engine: z.literal("postgres"), configuration: PostgresConfiguration }),
  configure: ({ settings, credentials }) => ({ ...settings, ...credentials }),
  credentialsName: "password",
  server: ({ host, port }) => ({ host, port }),
  files: () => [],
  dialect: postgresDialect,
  queriesOutliveClients: false,
  loadDriver: async () => (await import("./connect-postgres.ts")).postgresDriver,
};
