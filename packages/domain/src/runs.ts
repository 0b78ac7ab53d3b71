import { z } from "zod";
import { Id } from "./ids.ts";
import { ListPage } from "./pages.ts";
import { ParameterValues } from "./parameters.ts";
import { RunFailure } from "./run-failures.ts";
import { Timestamp } from "./timestamp.ts";

export const RunStatus = z.enum(["pending", "running", "completed", "failed"]);
export type RunStatus = z.infer<typeof RunStatus>;

export const hasEnded = (status: RunStatus): boolean => status === "completed" || status === "failed";

/** A run as refresh answers it. */
export const Run = z.object({
  id: Id,
  queryId: Id,
  status: RunStatus,
  runAt: Timestamp,
  /** What started it: `user:<id>`, `key:<id>` or `automation_run:<id>`. */
  triggerId: z.string(),
  parameterValues: ParameterValues,
  renderedSql: z.string(),
});
export type Run = z.infer<typeof Run>;

export const CutBy = z.enum(["rows", "bytes"]);
export type CutBy = z.infer<typeof CutBy>;

/** How far a cluster says that it is with a run. A split is a part of the data that one node reads at a time. */
export const EngineProgress = z.object({
  /** In the engine's own words, such as PLANNING or RUNNING. */
  state: z.string().max(100),
  rowsRead: z.int(),
  bytesRead: z.int(),
  completedSplits: z.int(),
  totalSplits: z.int(),
});
export type EngineProgress = z.infer<typeof EngineProgress>;

/** A run with all that is known of how it goes or went. */
export const RunDetail = Run.extend({
  startedAt: Timestamp.nullable(),
  completedAt: Timestamp.nullable(),
  cancelRequestedAt: Timestamp.nullable(),
  /** Rows so far. */
  progressRows: z.int(),
  /** What the engine itself said last; null where it says nothing. */
  engineProgress: EngineProgress.nullable(),
  rowsRead: z.int().nullable(),
  rowsWritten: z.int().nullable(),
  /** The limit that cut the result short, if one did. */
  cutBy: CutBy.nullable(),
  failure: RunFailure.nullable(),
  /** The version of the query that it runs; 0 for a run from before versions were counted. */
  queryVersion: z.int(),
});
export type RunDetail = z.infer<typeof RunDetail>;

/** A run in its query's history. */
export const ListedRun = RunDetail.extend({
  /** Who or what started it: a person, the owner's key or an automation, by name. Null: gone since. */
  startedBy: z.object({ kind: z.enum(["user", "key", "automation"]), name: z.string().nullable() }),
});
export type ListedRun = z.infer<typeof ListedRun>;

export const RunId = z.strictObject({ id: Id });
export type RunId = z.infer<typeof RunId>;

/** The runs of one query, or of all. A live list. */
export const ListRuns = ListPage.extend({ queryId: Id.optional() });
export type ListRuns = z.infer<typeof ListRuns>;

/** What there is to know of a cached result before its bytes are read. */
export const ResultInfo = z.object({
  runId: Id,
  queryId: Id,
  rowCount: z.int(),
  /** The size of its JSON. */
  bytes: z.int(),
  cutBy: CutBy.nullable(),
  etag: z.string(),
  completedAt: Timestamp,
  expiresAt: Timestamp,
  /** The values that it is for. */
  parameterValues: ParameterValues,
  /** The query's statement or database was changed since the run: this is the answer of an earlier version. */
  isOutdated: z.boolean(),
});
export type ResultInfo = z.infer<typeof ResultInfo>;
