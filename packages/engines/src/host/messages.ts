import { EngineProgress } from "@querybell/domain/engine-progress";
import { Field } from "@querybell/domain/results";
import { RunFailure } from "@querybell/domain/run-failures";
import { z } from "zod";
import { Database } from "../databases.ts";
import { OperationAnswer, ResultOperation } from "../stored-results/operations.ts";
import {
  ChangedTables,
  TableChange,
  UploadPreview,
  UploadPreviewTask,
  UploadRefusal,
} from "../uploads/upload-tasks.ts";

/** What one run may use; a database configuration carries its own. */
export const RunLimits = z.strictObject({
  timeMs: z.int().positive().max(86_400_000).default(300_000),
  rows: z.int().positive().default(50_000),
  bytes: z
    .int()
    .positive()
    .default(32 * 1024 ** 2),
  memoryBytes: z
    .int()
    .min(64 * 1024 ** 2)
    .default(1024 ** 3),
});
export type RunLimits = z.infer<typeof RunLimits>;

const anyTask = {
  id: z.int(),
  /** Whose task it is: a host performs those of one organization only. */
  organizationId: z.string(),
  limits: RunLimits,
};

const onDatabase = {
  ...anyTask,
  database: Database,
  dataFolder: z.string(),
  /** Names the run on its server. */
  label: z.string(),
};

const Task = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("run"),
    ...onDatabase,
    statement: z.object({ text: z.string(), values: z.array(z.string()) }),
  }),
  z.object({ kind: z.literal("version"), ...onDatabase }),
  z.object({
    kind: z.literal("tables"),
    ...onDatabase,
    schema: z.string().optional(),
    after: z.string().optional(),
  }),
  z.object({ kind: z.literal("schemas"), ...onDatabase }),
  /** Ends what a host that died has left running on the server. */
  z.object({ kind: z.literal("end_leftovers"), ...onDatabase }),
  z.object({
    kind: z.literal("compute"),
    ...anyTask,
    operation: ResultOperation,
    /** Of each result that follows as input: whether a limit has cut it short. */
    cuts: z.array(z.boolean()),
  }),
  z.object({ kind: z.literal("preview_upload"), ...anyTask, ...UploadPreviewTask.shape }),
  /** Changes a database file that is the host's own. */
  z.object({
    kind: z.literal("change_tables"),
    ...anyTask,
    database: z.string(),
    /** The host is killed when the file becomes larger. */
    maxFileBytes: z.int(),
    change: TableChange,
  }),
  /** Tries what a host must not be able to do, before any host is trusted with a statement. */
  z.object({
    kind: z.literal("check"),
    ...anyTask,
    unreadableFiles: z.array(z.string()),
    unreachablePid: z.int(),
  }),
]);
export type Task = z.infer<typeof Task>;
export type DatabaseTask = Extract<Task, { label: string }>;

type WithoutContext<T> = T extends DatabaseTask ? Omit<T, "id" | "dataFolder" | "label"> : never;
/** A task on a database before the parent has added what it knows. */
export type TaskRequest = WithoutContext<DatabaseTask> & { label?: string };

const Bytes = z.custom<Uint8Array>((value) => value instanceof Uint8Array);

/** To an engine host. */
export const HostRequest = z.union([
  Task,
  z.object({ kind: z.literal("cancel"), id: z.int() }),
  /** The answer to "connect": the socket comes along with the message, unless there is an error. */
  z.object({ kind: z.literal("connection"), id: z.int(), error: z.string().optional() }),
  /** A piece of the stored result with this position. */
  z.object({ kind: z.literal("input"), id: z.int(), position: z.int(), bytes: Bytes }),
  z.object({ kind: z.literal("input_end"), id: z.int() }),
]);
export type HostRequest = z.infer<typeof HostRequest>;

const Table = z.object({
  schema: z.string(),
  name: z.string(),
  columns: z.array(z.object({ name: z.string(), type: z.string() })),
});

/** Why a run failed, as the engine says it: `offset` counts in the text that it was given. */
const EngineFailure = RunFailure.omit({ position: true }).extend({ offset: z.int().optional() });
export type EngineFailure = z.infer<typeof EngineFailure>;

const Answer = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("completed"),
    fields: z.array(Field),
    rowCount: z.int(),
    jsonBytes: z.int(),
    cutBy: z.enum(["rows", "bytes"]).nullable(),
    rowsRead: z.int().optional(),
  }),
  z.object({ kind: z.literal("version"), version: z.string(), warnings: z.array(z.string()) }),
  z.object({ kind: z.literal("tables"), tables: z.array(Table) }),
  z.object({ kind: z.literal("schemas"), schemas: z.array(z.string()) }),
  z.object({ kind: z.literal("leftovers_ended") }),
  z.object({ kind: z.literal("checked"), possible: z.array(z.string()) }),
  z.object({ kind: z.literal("computed"), answer: OperationAnswer }),
  z.object({ kind: z.literal("upload_previewed"), preview: UploadPreview }),
  z.object({ kind: z.literal("tables_changed"), changed: ChangedTables }),
  z.object({ kind: z.literal("upload_refused"), refusal: UploadRefusal }),
  z.object({ kind: z.literal("failed"), failure: EngineFailure }),
]);
/** How a task ended. */
export type Answer = z.infer<typeof Answer>;

/**
 * From an engine host: that it can take tasks; then about its one task: that it began, that it needs a
 * connection to its server, how it goes, its answer, that it is free again.
 */
export const HostReport = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("ready") }),
  z.object({ kind: z.literal("connect"), id: z.int() }),
  z.object({ kind: z.literal("begun"), id: z.int() }),
  z.object({
    kind: z.literal("progress"),
    id: z.int(),
    rows: z.int(),
    engine: EngineProgress.optional(),
  }),
  z.object({ kind: z.literal("chunk"), id: z.int(), bytes: Bytes }),
  z.object({ kind: z.literal("answer"), id: z.int(), answer: Answer }),
  z.object({ kind: z.literal("idle"), id: z.int() }),
]);
export type HostReport = z.infer<typeof HostReport>;
