import { fileURLToPath } from "node:url";
import { RestCompatibility } from "@querybell/domain";
import { z } from "zod";

/** The settings that more than one process reads. Each app's `env.ts` picks its own from here and adds to them. */
export const sharedSettings = {
  NODE_ENV: z.enum(["production", "development", "test"]).default("production").describe("How strict to be"),
  DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//, "must begin with postgresql://")
    .describe("The Postgres 18 database that holds all state"),
  DATABASE_POOL_SIZE: z.coerce
    .number()
    .int()
    .min(1)
    .max(200)
    .default(10)
    .describe("Most connections of this process to the database"),
  SEALING_KEYS: z
    .string()
    .min(1, "must hold at least one key")
    .describe(
      "Keys for secrets at rest, cursors and cookies: `id:base64`, newest first, separated by commas",
    ),
  PUBLIC_URL: z
    .url({ protocol: /^https?$/, error: "must be an http or https address" })
    .transform((url) => url.replace(/\/+$/, ""))
    .describe("The address under which people reach the product; permalinks are made of it"),
  REST_COMPATIBILITY: RestCompatibility.default("retired").describe(
    "Whether the published REST routes are live or retired for new organizations",
  ),
  DUCKDB_FOLDER: z
    .string()
    .default(fileURLToPath(new URL("../../../../.data/duckdb", import.meta.url)))
    .describe("The folder of embedded databases: the file `<organization>.<name>.duckdb` for each"),
  SMTP_URL: z
    .url({ protocol: /^smtps?$/, error: "must look like smtp://user:password@host:587" })
    .optional()
    .describe("The email server; without one, links are copied by hand"),
  MAIL_FROM: z.string().default("Querybell <querybell@localhost>").describe("The sender of mails"),
  LOG_LEVEL: z
    .enum(["fatal", "error", "warn", "info", "debug", "trace", "silent"])
    .default("info")
    .describe("What is logged"),
  METRICS_TOKEN: z
    .string()
    .min(16, "must have at least 16 characters")
    .optional()
    .describe("The bearer token for `/metrics`; without one, production does not serve it"),
};

const SharedSettings = z.object(sharedSettings);
export type SharedSettings = z.infer<typeof SharedSettings>;

/** What is fine on one's own machine and dangerous elsewhere. For `superRefine` of an app's settings. */
export function refuseUnsafeProduction(
  { NODE_ENV, PUBLIC_URL }: Pick<SharedSettings, "NODE_ENV" | "PUBLIC_URL">,
  context: z.RefinementCtx,
): void {
  const { protocol, hostname } = new URL(PUBLIC_URL);
  const onThisMachine = hostname === "localhost" || hostname === "127.0.0.1" || hostname === "[::1]";
  if (NODE_ENV === "production" && protocol === "http:" && !onThisMachine) {
    context.addIssue({
      code: "custom",
      path: ["PUBLIC_URL"],
      message: "must begin with https:// in production, or sessions could be read on the way",
    });
  }
}

/** Settings that cannot be used, as sentences for the person who starts the process. */
export class SettingsError extends Error {
  override readonly name = "SettingsError";
}

/** Reads settings from the environment. An empty value counts as absent. */
export function readSettings<Schema extends z.ZodType>(
  schema: Schema,
  environment: Record<string, string | undefined>,
): z.infer<Schema> {
  const present = Object.fromEntries(Object.entries(environment).filter(([, value]) => value));
  const read = schema.safeParse(present);
  if (read.success) return read.data;
  // The messages never repeat a value: it may be a secret.
  const problems = read.error.issues.map(({ path, message }) => {
    const name = path.join(".");
    return present[name] ? `${name} ${message}.` : `${name} is not set.`;
  });
  throw new SettingsError(`${problems.join(" ")} See docs/operating.md for the settings.`);
}
