import { PostgresUrl, processSettings, readSettings } from "@querybell/process";
import { z } from "zod";

export const PublicSettings = z.object({
  ...processSettings,
  PUBLIC_DATABASE_URL: PostgresUrl.describe(
    "The same database, with the role that may read published pages and nothing else: `operator public-role` prints how to create it",
  ),
  PUBLIC_DATABASE_POOL_SIZE: z.coerce
    .number()
    .int()
    .min(1)
    .max(50)
    .default(4)
    .describe("Maximum connections of the public process to the database"),
  PUBLIC_HOST: z
    .string()
    .default("127.0.0.1")
    .describe("The address on which the public process listens; 0.0.0.0 for every network"),
  PUBLIC_PORT: z.coerce
    .number()
    .int()
    .min(0)
    .max(65_535)
    .default(4003)
    .describe("The port on which the public process listens"),
});
export type PublicSettings = z.infer<typeof PublicSettings>;

export const readPublicSettings = (): PublicSettings => readSettings(PublicSettings, process.env);
