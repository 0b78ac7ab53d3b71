import { z } from "zod";
import { Id } from "./ids.ts";
import { RunStatus } from "./runs.ts";
import { Text } from "./text.ts";
import { Timestamp } from "./timestamp.ts";

const Sql = z
  .string()
  .max(100_000, "must have at most 100000 characters: pass long lists as parameters")
  .refine((sql) => sql.trim() !== "", "must not be empty");

export const CreateQuery = z.strictObject({ sql: Sql, analyticalDatabaseConfigId: Id });
export type CreateQuery = z.infer<typeof CreateQuery>;

/** Absent fields stay as they are. */
export const UpdateQuery = z.strictObject({
  id: Id,
  sql: Sql.optional(),
  analyticalDatabaseConfigId: Id.optional(),
});
export type UpdateQuery = z.infer<typeof UpdateQuery>;

export const QueryId = z.strictObject({ id: Id });
export type QueryId = z.infer<typeof QueryId>;

const LatestRun = z.object({ id: Id, status: RunStatus, runAt: Timestamp });

/** A query as lists show it. */
export const Query = z.object({
  id: Id,
  sql: z.string(),
  analyticalDatabaseConfigId: Id,
  createdBy: Id,
  createdAt: Timestamp,
  updatedAt: Timestamp,
  latestRun: LatestRun.nullable(),
});
export type Query = z.infer<typeof Query>;

export const QueryDetail = Query.extend({
  latestRun: LatestRun.extend({ completedAt: Timestamp.nullable() }).nullable(),
  latestRunMetadata: z
    .object({ status: RunStatus, rowsRead: z.int().nullable(), rowsWritten: z.int().nullable() })
    .nullable(),
});
export type QueryDetail = z.infer<typeof QueryDetail>;

const GivenValues = z.record(z.string(), z.unknown());

/**
 * Values are parsed by the types that the query's references define; a parameter that is left out takes its
 * default. With `shortId`, that reference's definitions come first, then those of the others, oldest first.
 */
export const RunQuery = z.strictObject({
  id: Id,
  shortId: Text.max(200).optional(),
  parameterValues: GivenValues.default({}),
});
export type RunQuery = z.infer<typeof RunQuery>;

/** Without values, the latest successful run's result; with them, the newest for these values. */
export const FindResult = RunQuery.extend({ parameterValues: GivenValues.optional() });
export type FindResult = z.infer<typeof FindResult>;
