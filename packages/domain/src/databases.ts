import { z } from "zod";
import { Id } from "./ids.ts";
import { nameUpTo } from "./names.ts";
import { Text } from "./text.ts";
import { Timestamp } from "./timestamp.ts";

const Name = nameUpTo(100);

export const DuckdbFile = z
  .string()
  .regex(
    /^[A-Za-z0-9_][A-Za-z0-9_.-]*\.duckdb$/,
    "must be the name of a file that ends in .duckdb, without a path",
  );

/** A file in the folder of embedded databases, which the operator has put there for this organization. */
export const DuckdbSettings = z.strictObject({
  file: DuckdbFile.max(50).meta({
    description: "The name of a file that the operator has put into the folder of embedded databases",
    examples: ["shop.duckdb"],
  }),
});

const Host = z
  .string()
  .max(253)
  .regex(/^[A-Za-z0-9._:-]+$/, "must be a host name or an address")
  .meta({ examples: ["127.0.0.1"] });

const tlsSettings = {
  tls: z
    .enum(["verify", "require", "off"])
    .default("verify")
    .describe(
      "`verify` checks the certificate and its name; `require` encrypts without checking the certificate",
    ),
  tlsCertificateAuthority: Text.max(100_000)
    .optional()
    .describe("The certificate authority as PEM, if it is not a public one"),
};

export const PostgresSettings = z.strictObject({
  host: Host,
  port: z.int().min(1).max(65_535).default(5432),
  database: Text.min(1).max(63),
  user: Text.min(1).max(63),
  ...tlsSettings,
});

export const PostgresCredentials = z.strictObject({ password: z.string().max(1000) });
export type PostgresCredentials = z.infer<typeof PostgresCredentials>;

/** Text that is valid in an HTTP header. */
const HeaderText = z
  .string()
  .min(1, "must not be empty")
  .max(128, "must have at most 128 characters")
  .regex(/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/, "must be printable ASCII without spaces around it");

/** `catalog` and `schema` apply to table names without them. */
export const TrinoSettings = z.strictObject({
  host: Host,
  port: z.int().min(1).max(65_535).default(8443),
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
export type TrinoCredentials = z.infer<typeof TrinoCredentials>;

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

/** The connection of an analytical database. Credentials are never returned. */
export const DatabaseConnection = z.discriminatedUnion("engine", [
  z.strictObject({ engine: z.literal("duckdb"), settings: DuckdbSettings }),
  z.strictObject({
    engine: z.literal("postgres"),
    settings: PostgresSettings,
    credentials: PostgresCredentials,
  }),
  z
    .strictObject({ engine: z.literal("trino"), settings: TrinoSettings, credentials: TrinoCredentials })
    .refine(isKeptSecret, needsTls),
]);
export type DatabaseConnection = z.infer<typeof DatabaseConnection>;
export type DatabaseCredentials = PostgresCredentials | TrinoCredentials;

/** If credentials are absent, the stored ones are kept. */
const DatabaseConnectionChange = z.discriminatedUnion("engine", [
  z.strictObject({ engine: z.literal("duckdb"), settings: DuckdbSettings }),
  z.strictObject({
    engine: z.literal("postgres"),
    settings: PostgresSettings,
    credentials: PostgresCredentials.optional(),
  }),
  z
    .strictObject({
      engine: z.literal("trino"),
      settings: TrinoSettings,
      credentials: TrinoCredentials.optional(),
    })
    .refine(isKeptSecret, needsTls),
]);

const mebibyte = 1024 ** 2;

/** The limits of one run on this database. */
export const DatabaseLimits = z.strictObject({
  timeMs: z
    .int()
    .min(1000)
    .max(3_600_000)
    .describe("Maximum duration of a run in milliseconds")
    .default(300_000),
  rows: z.int().min(1).max(1_000_000).describe("Maximum rows of a result").default(50_000),
  bytes: z
    .int()
    .min(1024)
    .max(256 * mebibyte)
    .describe("Maximum bytes of a result")
    .default(32 * mebibyte),
  memoryBytes: z
    .int()
    .min(64 * mebibyte)
    .max(64 * 1024 * mebibyte)
    .describe("Maximum memory of a run in bytes")
    .default(1024 * mebibyte),
});
export type DatabaseLimits = z.infer<typeof DatabaseLimits>;

/** Limits as an admin sends them. Absent limits get a default within the operator's ceilings. */
const GivenDatabaseLimits = z.strictObject({
  timeMs: DatabaseLimits.shape.timeMs.unwrap().optional(),
  rows: DatabaseLimits.shape.rows.unwrap().optional(),
  bytes: DatabaseLimits.shape.bytes.unwrap().optional(),
  memoryBytes: DatabaseLimits.shape.memoryBytes.unwrap().optional(),
});
export type GivenDatabaseLimits = z.infer<typeof GivenDatabaseLimits>;

export const CreateDatabase = z.strictObject({
  name: Name,
  connection: DatabaseConnection,
  limits: GivenDatabaseLimits.default({}),
});
export type CreateDatabase = z.infer<typeof CreateDatabase>;

/** Absent fields are not changed. The engine cannot be changed, because queries are written for it. */
export const UpdateDatabase = z.strictObject({
  id: Id,
  name: Name.optional(),
  connection: DatabaseConnectionChange.optional(),
  limits: GivenDatabaseLimits.optional(),
});
export type UpdateDatabase = z.infer<typeof UpdateDatabase>;

export const DatabaseId = z.strictObject({ id: Id });
export type DatabaseId = z.infer<typeof DatabaseId>;

/** The fields of a database that every member can see, to choose it for a query. */
export const DatabaseSummary = z.object({
  id: Id,
  name: z.string(),
  engine: z.enum(["duckdb", "postgres", "trino"]),
  holdsUploads: z.boolean().describe("Whether it is the one database that holds uploaded files"),
});
export type DatabaseSummary = z.infer<typeof DatabaseSummary>;

/** A configuration for admins. */
export const AnalyticalDatabase = z.object({
  id: Id,
  name: z.string(),
  connection: z.discriminatedUnion("engine", [
    z.object({ engine: z.literal("duckdb"), settings: DuckdbSettings }),
    z.object({ engine: z.literal("postgres"), settings: PostgresSettings }),
    z.object({ engine: z.literal("trino"), settings: TrinoSettings }),
  ]),
  limits: DatabaseLimits,
  createdAt: Timestamp,
  updatedAt: Timestamp,
});
export type AnalyticalDatabase = z.infer<typeof AnalyticalDatabase>;

/** A saved configuration and the warnings of its connection. */
export const SavedDatabase = AnalyticalDatabase.extend({ warnings: z.array(z.string()) });
export type SavedDatabase = z.infer<typeof SavedDatabase>;

/** With the number of queries that use it. */
export const DescribedDatabase = AnalyticalDatabase.extend({ queryCount: z.int() });
export type DescribedDatabase = z.infer<typeof DescribedDatabase>;

/** `warnings` are sentences for the admin, such as that the user is a superuser. */
export const TestedDatabase = z.object({ version: z.string(), warnings: z.array(z.string()) });
export type TestedDatabase = z.infer<typeof TestedDatabase>;

/** Which tables to list. On Trino a page has 500 tables; `after` is the name of the last table of the page before. */
export const ListTables = DatabaseId.extend({
  schema: z.string().min(1).max(500).optional(),
  after: z.string().min(1).max(500).optional(),
});
export type ListTables = z.infer<typeof ListTables>;

export const DatabaseTable = z.object({
  schema: z.string(),
  name: z.string(),
  columns: z.array(z.object({ name: z.string(), type: z.string() })),
});
export type DatabaseTable = z.infer<typeof DatabaseTable>;
