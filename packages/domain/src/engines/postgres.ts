import { z } from "zod";
import { Text } from "../text.ts";
import { Host, Port, tlsSettings } from "./server-settings.ts";

export const PostgresSettings = z.strictObject({
  host: Host,
  port: Port.default(5432),
  database: Text.min(1).max(63),
  user: Text.min(1).max(63),
  ...tlsSettings,
});

export const PostgresCredentials = z.strictObject({ password: z.string().max(1000) });

const engine = z.literal("postgres");
const settings = PostgresSettings;

export const postgresConnection = {
  engine: engine.value,
  given: z.strictObject({ engine, settings, credentials: PostgresCredentials }),
  changed: z.strictObject({ engine, settings, credentials: PostgresCredentials.optional() }),
  shown: z.object({ engine, settings }),
};
