import { z } from "zod";
import { duckdbConnection } from "./engines/duckdb.ts";
import { postgresConnection } from "./engines/postgres.ts";
import { trinoConnection } from "./engines/trino.ts";
import { Id } from "./ids.ts";
import { nameUpTo } from "./text.ts";
import { Timestamp } from "./time.ts";

const Name = nameUpTo(100);

/**
 * The connection schemas of each engine: `given` when an admin creates it, `changed` when an admin updates it
 * (absent credentials are not changed), and `shown` in answers, without credentials. A new engine needs a
 * line here.
 */
const engineConnections = [duckdbConnection, postgresConnection, trinoConnection] as const;
const [first, ...others] = engineConnections;

export const EngineKind = z.enum(engineConnections.map(({ engine }) => engine));
export type EngineKind = z.infer<typeof EngineKind>;

/** The connection of an analytical database. Credentials are never returned. */
export const DatabaseConnection = z.discriminatedUnion("engine", [
  first.given,
  ...others.map(({ given }) => given),
]);
export type DatabaseConnection = z.infer<typeof DatabaseConnection>;
export type DatabaseCredentials = Extract<DatabaseConnection, { credentials: unknown }>["credentials"];

const DatabaseConnectionChange = z.discriminatedUnion("engine", [
  first.changed,
  ...others.map(({ changed }) => changed),
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
  engine: EngineKind,
  holdsUploads: z.boolean().describe("Whether it is the one database that holds uploaded files"),
  mayWriteSql: z.boolean().describe("Whether the caller may write SQL on it, and look at its tables"),
});
export type DatabaseSummary = z.infer<typeof DatabaseSummary>;

/** A configuration for admins. */
export const AnalyticalDatabase = z.object({
  id: Id,
  name: z.string(),
  connection: z.discriminatedUnion("engine", [first.shown, ...others.map(({ shown }) => shown)]),
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

const Comment = z.string().optional().describe("The comment that the database has on it, if any");

export const DatabaseTable = z.object({
  schema: z.string(),
  name: z.string(),
  comment: Comment,
  columns: z.array(z.object({ name: z.string(), type: z.string(), comment: Comment })),
});
export type DatabaseTable = z.infer<typeof DatabaseTable>;
