import { fileURLToPath } from "node:url";
import { ceilingSettings } from "@querybell/core/databases";
import { retentionSettings } from "@querybell/core/retention";
import { uploadSettings } from "@querybell/core/uploads";
import { OrganizationCreation, RestCompatibility } from "@querybell/domain";
import { Origin, PostgresUrl, processSettings } from "@querybell/process";
import { z } from "zod";
import { EngineIsolation } from "./engine-isolation.ts";

/** Addresses, separated by commas or white space. */
const DeploymentAdmins = z.string().refine(
  (text) =>
    text
      .split(/[\s,]+/)
      .filter((address) => address !== "")
      .every((address) => z.email().safeParse(address).success),
  "must be addresses of people, separated by commas",
);

/** Settings that several processes read. Each app's `env.ts` adds its own. */
export const sharedSettings = {
  NODE_ENV: processSettings.NODE_ENV,
  DATABASE_URL: PostgresUrl.describe(
    "The Postgres 18 database that holds all state, except the files in `DUCKDB_FOLDER`",
  ),
  DATABASE_POOL_SIZE: z.coerce
    .number()
    .int()
    // Jobs, runs and deliveries of a worker use connections concurrently.
    .min(6)
    .max(200)
    .default(10)
    .describe(
      "Maximum connections of this process to the database; half as many more for callers with narrowed rights",
    ),
  SEALING_KEYS: z
    .string()
    .min(1, "must hold at least one key")
    .describe(
      "Keys for secrets at rest, cursors and cookies: `id:base64`, newest first, separated by commas",
    ),
  PUBLIC_URL: Origin.describe(
    "The URL under which users open the product, also in permalinks: without a path",
  ),
  PUBLIC_PAGES_URL: processSettings.PUBLIC_PAGES_URL.optional(),
  REST_COMPATIBILITY: RestCompatibility.default("retired").describe(
    "Whether the published REST routes are live or retired for new organizations",
  ),
  ORGANIZATION_CREATION: OrganizationCreation.default("operator").describe(
    "Who creates organizations: the operator, by a command, or anybody who is signed in, too",
  ),
  DEPLOYMENT_ADMINS: DeploymentAdmins.default("").describe(
    "Addresses of people who may open the page Operations, like `ada@acme.example, kim@acme.example`: they see figures and names of all organizations",
  ),
  ...ceilingSettings,
  DUCKDB_FOLDER: z
    .string()
    .default(fileURLToPath(new URL("../../../.data/duckdb", import.meta.url)))
    .describe(
      "The folder of embedded databases: the file `<organization>.<name>.duckdb` for each, the folder `uploads` with what people uploaded, and `exports` with files to download",
    ),
  ...uploadSettings,
  ANALYTICS_NETWORKS: z
    .string()
    .default("")
    .describe(
      "Private networks in which analytical databases may be, like `10.0.0.0/8, fd00::/8`; public ones always may",
    ),
  ENGINE_ISOLATION: EngineIsolation,
  MODEL_URL: z
    .url({ protocol: /^https?$/, error: "must look like https://models.example.com/v1" })
    .optional()
    .describe(
      "A language model for the automations of all organizations: the base URL of a server with the OpenAI-compatible protocol. Each organization's admin has to consent",
    ),
  MODEL_NAME: z.string().optional().describe("The name of the model on that server"),
  MODEL_API_KEY: z.string().optional().describe("The key for that server"),
  MODEL_NETWORKS: z
    .string()
    .default("")
    .describe(
      "Private networks in which models may be, over http too, like `10.0.0.0/8`; public servers always may, over https",
    ),
  OIDC_ISSUER: z
    .url({ protocol: /^https?$/, error: "must look like https://login.example.com" })
    .optional()
    .describe("A provider of identities (OpenID Connect) with which people of all organizations sign in"),
  OIDC_CLIENT_ID: z.string().optional().describe("The id of this deployment's client at that provider"),
  OIDC_CLIENT_SECRET: z.string().optional().describe("The secret of that client"),
  OIDC_DOMAINS: z
    .string()
    .default("")
    .describe(
      "The domains whose addresses that provider speaks for, like `example.com, example.org`: their accounts are linked, or created at the first sign-in",
    ),
  OIDC_NAME: z.string().default("single sign-on").describe("The name of that provider on the sign-in page"),
  OIDC_ENFORCED: z
    .stringbool({ truthy: ["1", "true"], falsy: ["0", "false"], error: "must be 1 or 0" })
    .default(false)
    .describe("1 refuses sign-in by password and passkey. Without it again, they work as before"),
  OIDC_NETWORKS: z
    .string()
    .default("")
    .describe("Private networks in which that provider may be, like `10.0.0.0/8`; a public one always may"),
  SMTP_URL: z
    .url({ protocol: /^smtps?$/, error: "must look like smtp://user:password@host:587" })
    .optional()
    .describe("The email server; without one, links are copied by hand"),
  MAIL_FROM: z.string().default("Querybell <querybell@localhost>").describe("The sender of mails"),
  LOG_LEVEL: processSettings.LOG_LEVEL,
  METRICS_TOKEN: z
    .string()
    .min(16, "must have at least 16 characters")
    .optional()
    .describe("The bearer token for `/metrics`; without one, production does not serve it"),
  OTEL_EXPORTER_OTLP_ENDPOINT: z
    .url({ protocol: /^https?$/, error: "must look like http://collector:4318" })
    .optional()
    .describe(
      "A collector of OpenTelemetry to which traces are sent, by OTLP over HTTP; without one there are none",
    ),
  OTEL_TRACES_SAMPLER_ARG: z.coerce
    .number()
    .min(0)
    .max(1)
    .default(1)
    .describe("The share of traces that are recorded, from 0 to 1"),
  ...retentionSettings,
  WEBHOOK_ALLOW_LOOPBACK: z
    .stringbool({ truthy: ["1", "true"], falsy: ["0", "false"], error: "must be 1 or 0" })
    .default(false)
    .describe("Development only: 1 allows webhooks to loopback addresses, also over http"),
};

const SharedSettings = z.object(sharedSettings);
export type SharedSettings = z.infer<typeof SharedSettings>;

/** Rejects settings that are unsafe in production. For `superRefine` of an app's settings. */
export function refuseUnsafeProduction(
  settings: Pick<SharedSettings, "NODE_ENV" | "PUBLIC_URL" | "WEBHOOK_ALLOW_LOOPBACK">,
  context: z.RefinementCtx,
): void {
  const { NODE_ENV, PUBLIC_URL, WEBHOOK_ALLOW_LOOPBACK } = settings;
  if (NODE_ENV === "production" && WEBHOOK_ALLOW_LOOPBACK) {
    context.addIssue({
      code: "custom",
      path: ["WEBHOOK_ALLOW_LOOPBACK"],
      message: "must not be 1 in production, or customers could call services on this machine",
    });
  }
  const { protocol, hostname } = new URL(PUBLIC_URL);
  const isLoopback = hostname === "localhost" || hostname === "127.0.0.1" || hostname === "[::1]";
  if (NODE_ENV === "production" && protocol === "http:" && !isLoopback) {
    context.addIssue({
      code: "custom",
      path: ["PUBLIC_URL"],
      message: "must begin with https:// in production, or sessions could be read on the way",
    });
  }
}
