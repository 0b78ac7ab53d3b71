import { PostgresCredentials, PostgresSettings } from "@querybell/domain/databases";
import type { z } from "zod";
import type { Engine } from "../engine.ts";
import { postgresDialect } from "./dialect.ts";

export const PostgresConfiguration = PostgresSettings.extend(PostgresCredentials.shape);
export type PostgresConfiguration = z.infer<typeof PostgresConfiguration>;

export const postgresEngine: Engine<PostgresConfiguration> = {
  configuration: PostgresConfiguration,
  queriesOutliveClients: false,
  dialect: postgresDialect,
  secrets: ["password"],
  server: ({ host, port }) => ({ host, port }),
  files: () => [],
};
