import { z } from "zod";
import { Id } from "./ids.ts";
import { ListPage } from "./pages.ts";
import { ParameterName } from "./parameters.ts";
import { RunFailureCode } from "./run-reports.ts";
import { RunStatus } from "./runs.ts";
import { nameUpTo, Text } from "./text.ts";
import { Timestamp } from "./time.ts";

const Sql = z
  .string()
  .max(100_000, "must have at most 100000 characters: pass long lists as parameters")
  .refine((sql) => sql.trim() !== "", "must not be empty");

export const QueryName = nameUpTo(200);
const Description = Text.max(2000, "must have at most 2000 characters").nullable();

export const CreateQuery = z.strictObject({
  sql: Sql,
  analyticalDatabaseConfigId: Id,
  name: QueryName.nullable().optional(),
  description: Description.optional(),
});
export type CreateQuery = z.infer<typeof CreateQuery>;

/** Absent fields are not changed; null removes the name or the description. */
export const UpdateQuery = z.strictObject({
  id: Id,
  sql: Sql.optional(),
  analyticalDatabaseConfigId: Id.optional(),
  name: QueryName.nullable().optional(),
  description: Description.optional(),
  version: z
    .int()
    .min(1)
    .optional()
    .describe("The version on which the change is based. Fails with `query_changed` if there is a newer one"),
});
export type UpdateQuery = z.infer<typeof UpdateQuery>;

export const QueryId = z.strictObject({ id: Id });
export type QueryId = z.infer<typeof QueryId>;

/** Filters are optional. `search` matches names and statements, case-insensitively. */
export const ListQueries = ListPage.extend({
  search: Text.trim()
    .min(1, "must not be empty")
    .max(200, "must have at most 200 characters")
    .optional()
    .describe("Searched in names and statements, case-insensitively"),
  createdBy: Id.optional(),
  analyticalDatabaseConfigId: Id.optional(),
});
export type ListQueries = z.infer<typeof ListQueries>;

const LatestRun = z.object({ id: Id, status: RunStatus, runAt: Timestamp });

export const Query = z.object({
  id: Id,
  sql: z.string(),
  name: z.string().nullable().describe("Null: without a name"),
  description: z.string().nullable(),
  version: z.int().describe("Incremented with each change of the statement or the database"),
  analyticalDatabaseConfigId: Id,
  createdBy: Id,
  createdAt: Timestamp,
  updatedAt: Timestamp,
  latestRun: LatestRun.nullable(),
});
export type Query = z.infer<typeof Query>;

/** A query in a list. */
export const ListedQuery = Query.extend({
  latestRun: LatestRun.extend({
    failureCode: RunFailureCode.nullable().describe("Why it failed; null if it did not"),
  }).nullable(),
});
export type ListedQuery = z.infer<typeof ListedQuery>;

export const QueryDetail = Query.extend({
  latestRun: LatestRun.extend({ completedAt: Timestamp.nullable() }).nullable(),
  latestRunMetadata: z
    .object({ status: RunStatus, rowsRead: z.int(), rowsWritten: z.int() })
    .describe("The counts are 0 until they are known")
    .nullable(),
});
export type QueryDetail = z.infer<typeof QueryDetail>;

/** Who wrote a version of a query's statement, and when. */
export const QueryVersion = z.object({
  version: z.int(),
  analyticalDatabaseConfigId: Id,
  createdBy: Id,
  createdAt: Timestamp,
});
export type QueryVersion = z.infer<typeof QueryVersion>;

export const QueryVersionDetail = QueryVersion.extend({ sql: z.string() });
export type QueryVersionDetail = z.infer<typeof QueryVersionDetail>;

export const QueryVersionNumber = z.strictObject({ id: Id, version: z.int().min(1) });
export type QueryVersionNumber = z.infer<typeof QueryVersionNumber>;

/** The names of parameters. An unsaved statement may have more of them than the saved one. */
export const ListDefinitions = z.strictObject({ id: Id, names: z.array(ParameterName).max(100) });
export type ListDefinitions = z.infer<typeof ListDefinitions>;

export const GivenValues = z.record(z.string(), z.unknown());

/**
 * Values are parsed by the types of their definitions; undefined parameters are strings. Absent values get the default.
 * The definition of the reference `shortId` applies, then that of the query, then that of its oldest reference.
 */
export const RunQuery = z.strictObject({
  id: Id,
  shortId: Text.max(200).optional().describe("A reference of the query, whose definitions take precedence"),
  parameterValues: GivenValues.default({}).describe(
    "By name, parsed by the type of each parameter. Absent parameters get their defaults",
  ),
});
export type RunQuery = z.infer<typeof RunQuery>;

/** Without values, the result of the latest completed run; with values, the newest result for them. */
export const GetResult = RunQuery.extend({
  parameterValues: GivenValues.optional().describe("If absent: the result of the latest completed run"),
});
export type GetResult = z.infer<typeof GetResult>;

/** A chart whose result queries on uploads can read as a table. */
export const ChartTable = z.object({
  shortId: z.string(),
  title: z.string(),
  table: z
    .string()
    .describe("The name of its result in queries on uploads")
    .meta({ examples: ["charts.sales"] }),
});
export type ChartTable = z.infer<typeof ChartTable>;

/** What a query reads, and what reads its charts. */
export const QueryLineage = z.object({
  uses: z.array(ChartTable).describe("The charts whose results it reads"),
  charts: z
    .array(ChartTable.extend({ usedBy: z.array(z.object({ id: Id, name: z.string() })) }))
    .describe("Its charts that have a title, and the queries that read their results"),
});
export type QueryLineage = z.infer<typeof QueryLineage>;
