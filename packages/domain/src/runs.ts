import { z } from "zod";
import { Id } from "./ids.ts";
import { ListPage } from "./pages.ts";
import { ParameterValues } from "./parameters.ts";
import { EngineProgress, RunFailure } from "./run-reports.ts";
import { Timestamp } from "./time.ts";

export const RunStatus = z.enum(["pending", "running", "completed", "failed"]);
export type RunStatus = z.infer<typeof RunStatus>;

export const hasEnded = (status: RunStatus): boolean => status === "completed" || status === "failed";

/** A run in the answer of refresh. */
export const Run = z.object({
  id: Id,
  queryId: Id,
  status: RunStatus,
  runAt: Timestamp,
  triggerId: z.string().describe("What started it: `user:<id>`, `key:<id>` or `automation_run:<id>`"),
  parameterValues: ParameterValues,
  renderedSql: z.string(),
});
export type Run = z.infer<typeof Run>;

export const CutBy = z.enum(["rows", "bytes"]);
export type CutBy = z.infer<typeof CutBy>;

/** A run with its progress and outcome. */
export const RunDetail = Run.extend({
  startedAt: Timestamp.nullable(),
  completedAt: Timestamp.nullable(),
  cancelRequestedAt: Timestamp.nullable(),
  progressRows: z.int().describe("Rows so far"),
  engineProgress: EngineProgress.nullable().describe(
    "The progress that the engine reported last; null if it reports none",
  ),
  rowsRead: z.int().nullable(),
  rowsWritten: z.int().nullable(),
  cutBy: CutBy.nullable().describe("The limit that truncated the result, if one did"),
  failure: RunFailure.nullable(),
  queryVersion: z
    .int()
    .describe("The version of the query; 0 for runs of older releases, which had no versions"),
});
export type RunDetail = z.infer<typeof RunDetail>;

/** A run in its query's history. */
export const ListedRun = RunDetail.extend({
  startedBy: z
    .object({ kind: z.enum(["user", "key", "automation"]), name: z.string().nullable() })
    .describe(
      "Who started it: a person, a key (with its owner's name) or an automation. The name is null if it was deleted since",
    ),
});
export type ListedRun = z.infer<typeof ListedRun>;

export const RunId = z.strictObject({ id: Id });
export type RunId = z.infer<typeof RunId>;

/** The runs of one query, or of all. A live list. */
export const ListRuns = ListPage.extend({ queryId: Id.optional() });
export type ListRuns = z.infer<typeof ListRuns>;

/** The metadata of a cached result. */
export const ResultInfo = z.object({
  runId: Id,
  queryId: Id,
  rowCount: z.int(),
  bytes: z.int().describe("The size of its JSON"),
  cutBy: CutBy.nullable(),
  etag: z.string(),
  completedAt: Timestamp,
  expiresAt: Timestamp,
  parameterValues: ParameterValues.describe("The parameter values of the result"),
  isOutdated: z.boolean().describe("Whether the query's statement or database was changed since the run"),
});
export type ResultInfo = z.infer<typeof ResultInfo>;

/** Why a query has no result to show. */
export const MissingResultReason = z.enum([
  "result_not_found",
  "result_expired",
  "missing_parameter_values",
  "database_deleted",
]);

export const FoundResult = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("found"), result: ResultInfo }),
  z.object({
    kind: z.literal("missing"),
    reason: MissingResultReason,
    message: z.string(),
    expired: ResultInfo.nullable().describe(
      "The expired result, while it is kept for signed-in members. Its rows: `/api/runs/<runId>/expired-result`",
    ),
  }),
]);
export type FoundResult = z.infer<typeof FoundResult>;
