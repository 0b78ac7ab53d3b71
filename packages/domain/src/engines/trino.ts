import { z } from "zod";
import { Host, Port, tlsSettings } from "./server-settings.ts";

/** Text that is valid in an HTTP header. */
const HeaderText = z
  .string()
  .min(1, "must not be empty")
  .max(128, "must have at most 128 characters")
  .regex(/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/, "must be printable ASCII without spaces around it");

/** `catalog` and `schema` apply to table names without them. */
export const TrinoSettings = z.strictObject({
  host: Host,
  port: Port.default(8443),
  catalog: HeaderText.refine(
    (name) => name.toLowerCase() !== "system",
    "must not be Trino's own, system",
  ).meta({
    examples: ["hive"],
  }),
  schema: HeaderText.optional(),
  user: HeaderText,
  ...tlsSettings,
});

const Secret = z.string().min(1, "must not be empty").max(10_000);

/** A token is a JSON web token, or an access token of OAuth 2.0. */
export const TrinoCredentials = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("none") }),
  z.strictObject({ kind: z.literal("password"), password: Secret }),
  z.strictObject({
    kind: z.literal("token"),
    token: Secret.regex(/^[\x21-\x7e]*$/, "must be printable ASCII"),
  }),
]);
type TrinoCredentials = z.infer<typeof TrinoCredentials>;

interface TrinoConnection {
  settings: { tls: string };
  credentials?: TrinoCredentials | undefined;
}

const needsTls = {
  path: ["settings", "tls"],
  error: "must not be off: without TLS the password or token would cross the network as it is",
};
const isKeptSecret = ({ settings, credentials }: TrinoConnection) =>
  settings.tls !== "off" || credentials === undefined || credentials.kind === "none";

const engine = z.literal("trino");
const settings = TrinoSettings;

export const trinoConnection = {
  engine: engine.value,
  given: z.strictObject({ engine, settings, credentials: TrinoCredentials }).refine(isKeptSecret, needsTls),
  changed: z
    .strictObject({ engine, settings, credentials: TrinoCredentials.optional() })
    .refine(isKeptSecret, needsTls),
  shown: z.object({ engine, settings }),
};
