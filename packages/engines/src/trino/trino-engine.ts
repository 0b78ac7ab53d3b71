import { TrinoCredentials, TrinoSettings } from "@querybell/domain/databases";
import { z } from "zod";
import type { Engine } from "../engine.ts";
import { trinoDialect } from "./dialect.ts";

export const TrinoConfiguration = z.strictObject({ ...TrinoSettings.shape, credentials: TrinoCredentials });
export type TrinoConfiguration = z.infer<typeof TrinoConfiguration>;

export const trinoEngine: Engine<TrinoConfiguration> = {
  configuration: TrinoConfiguration,
  // For minutes, until it notices that nobody fetches the result.
  outlivesClients: true,
  dialect: trinoDialect,
  secrets: ["credentials"],
  server: ({ host, port }) => ({ host, port }),
  files: () => [],
};
