import { JudgedRun, JudgeTask } from "@querybell/conditions/judge-task";
import { ReplayedResults, ReplayTask } from "@querybell/conditions/replay-task";
import { ComparisonOutcome, ComparisonTask } from "@querybell/domain/comparisons";
import { DatabaseLimits } from "@querybell/domain/databases";
import { Field } from "@querybell/domain/results";
import { EngineProgress, RunFailure } from "@querybell/domain/run-reports";
import { toStorable } from "@querybell/domain/text";
import {
  ChangedTables,
  Database,
  FilePreview,
  maxCommentLength,
  TableChange,
  UploadPreviewTask,
  UploadRefusal,
} from "@querybell/engines";
import { OperationAnswer, ResultOperation } from "@querybell/summaries/operations";
import { z } from "zod";
import { DashboardPictureRequest, PictureRequest } from "./pictures/picture-request.ts";

/** No further statement starts once the compressed results of those that run together are larger: a worker holds them all. */
export const maxTogetherBytes = 64 * 1024 ** 2;

const anyTask = {
  id: z.int(),
  /** The organization of the task. A host executes tasks of one organization only. */
  organizationId: z.string(),
  limits: DatabaseLimits,
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
    /** The results that follow as input, which the statement reads as tables with these names. */
    charts: z.array(z.string()),
  }),
  /** Statements that see the same snapshot, one after the other. The limits are those of each. */
  z.object({
    kind: z.literal("run_together"),
    ...onDatabase,
    statements: z.array(z.object({ text: z.string(), values: z.array(z.string()) })),
  }),
  z.object({ kind: z.literal("version"), ...onDatabase }),
  z.object({
    kind: z.literal("tables"),
    ...onDatabase,
    schema: z.string().optional(),
    after: z.string().optional(),
  }),
  z.object({ kind: z.literal("schemas"), ...onDatabase }),
  /** Ends queries that a dead host has left running on the server. */
  z.object({ kind: z.literal("end_abandoned_queries"), ...onDatabase }),
  z.object({
    kind: z.literal("compute"),
    ...anyTask,
    operation: ResultOperation,
    /** For each result that follows as input: whether a limit truncated it. */
    cuts: z.array(z.boolean()),
  }),
  /** Compares the two results that follow as input. */
  z.object({ kind: z.literal("compare_results"), ...anyTask, comparison: ComparisonTask }),
  /** Judges a run by its condition, from the results that follow as input. */
  z.object({ kind: z.literal("judge_run"), ...anyTask, judging: JudgeTask }),
  /** Tries a condition on the results that follow as input: JSON, not compressed. */
  z.object({ kind: z.literal("replay_condition"), ...anyTask, replay: ReplayTask }),
  z.object({
    kind: z.literal("draw_picture"),
    ...anyTask,
    picture: PictureRequest,
    /** Whether a limit truncated the result that follows as input. */
    cut: z.boolean(),
  }),
  z.object({
    kind: z.literal("draw_dashboard"),
    ...anyTask,
    picture: DashboardPictureRequest,
    /** For each result that follows as input: whether a limit truncated it. */
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
  /** Tries what a host must not be able to do, before hosts get statements. */
  z.object({
    kind: z.literal("check"),
    ...anyTask,
    readableFiles: z.array(z.string()),
    unreadableFiles: z.array(z.string()),
    unreachablePid: z.int(),
  }),
]);
export type Task = z.infer<typeof Task>;
export type DatabaseTask = Extract<Task, { label: string }>;

type OmitFromEach<T, Key extends PropertyKey> = T extends unknown ? Omit<T, Key> : never;
/** A task before the pool gives it its id. */
export type NewTask = OmitFromEach<Task, "id">;
/** A task on a database, before its id and the data folder are added. */
export type TaskRequest = OmitFromEach<DatabaseTask, "id" | "dataFolder" | "label"> & { label?: string };

/** To an engine host. */
export const HostRequest = z.union([
  Task,
  z.object({ kind: z.literal("cancel"), id: z.int() }),
  /** The answer to "connect" if there is no connection. Otherwise the socket is the answer. */
  z.object({ kind: z.literal("no_connection"), id: z.int(), error: z.string() }),
  /** A piece of the stored result with this position. Its bytes are attached. */
  z.object({ kind: z.literal("input"), id: z.int(), position: z.int() }),
  z.object({ kind: z.literal("input_end"), id: z.int() }),
]);
export type HostRequest = z.infer<typeof HostRequest>;

// What is stored in a column of 32 bits.
const Count = z.int32().nonnegative();
const maxTextLength = 10_000;

/** Text that is stored. Engines and hostile hosts send what a database cannot store. */
const storedText = (maxLength: number) => z.string().max(maxLength).transform(toStorable);

/** What comes with a socket, on the channel for sockets. */
export const SocketNote = z.object({ id: z.int() });

/** Lists that can be long. They are sent ahead of the answer, in pieces that are parsed one at a time. */
const ListPiece = z.discriminatedUnion("list", [
  z.object({ list: z.literal("fields"), items: z.array(Field) }),
  /** Schema, table, column and type. */
  z.object({ list: z.literal("columns"), items: z.array(z.array(z.string()).length(4)) }),
  /** Schema, table, column and comment. The comment of a table has an empty column. */
  z.object({
    list: z.literal("comments"),
    items: z.array(z.tuple([z.string(), z.string(), z.string(), z.string().max(maxCommentLength)])),
  }),
  z.object({ list: z.literal("schemas"), items: z.array(z.string()) }),
]);
export type ListPiece = z.infer<typeof ListPiece>;

/** Why a run failed. `offset` is a position in the text that the engine was given. */
const EngineFailure = RunFailure.omit({ position: true }).extend({
  // In the words of the engine.
  message: storedText(maxTextLength),
  offset: Count.optional(),
});
export type EngineFailure = z.infer<typeof EngineFailure>;

const Completed = z.object({
  kind: z.literal("completed"),
  rowCount: Count,
  jsonBytes: Count,
  cutBy: z.enum(["rows", "bytes"]).nullable(),
  etag: z.string().regex(/^[\w-]{43}$/),
  rowsRead: z.int().nonnegative().optional(),
});
const Failed = z.object({ kind: z.literal("failed"), failure: EngineFailure });

/** How one of several statements ended. */
const PartAnswer = z.discriminatedUnion("kind", [Completed, Failed]);
export type PartAnswer = z.infer<typeof PartAnswer>;

const Answer = z.discriminatedUnion("kind", [
  Completed,
  z.object({ kind: z.literal("together_ended") }),
  z.object({
    kind: z.literal("version"),
    version: z.string().max(maxTextLength),
    warnings: z.array(z.string().max(maxTextLength)),
  }),
  z.object({ kind: z.literal("tables") }),
  z.object({ kind: z.literal("schemas") }),
  z.object({ kind: z.literal("abandoned_queries_ended") }),
  z.object({
    kind: z.literal("checked"),
    possible: z.array(z.string()),
    unreadable: z.array(z.string()),
  }),
  z.object({ kind: z.literal("computed"), answer: OperationAnswer }),
  /** The bytes of the file came before, in chunks. */
  z.object({ kind: z.literal("results_compared"), outcome: ComparisonOutcome }),
  /** The parts of the changed rows came before, each as one chunk. */
  z.object({ kind: z.literal("run_judged"), judged: JudgedRun }),
  z.object({ kind: z.literal("condition_replayed"), replayed: ReplayedResults }),
  /** The bytes of the picture came before, in chunks. */
  z.object({ kind: z.literal("picture_drawn"), isTable: z.boolean() }),
  z.object({ kind: z.literal("upload_previewed"), preview: FilePreview }),
  z.object({ kind: z.literal("tables_changed"), changed: ChangedTables }),
  z.object({ kind: z.literal("upload_refused"), refusal: UploadRefusal }),
  Failed,
]);
/** How a task ended. */
export type Answer = z.infer<typeof Answer>;

/**
 * From an engine host: "ready" when it can take tasks. Then about its one task: that it started, that it needs a
 * connection to its server, its progress, its result in chunks, lists, its answer, and that the host is idle again.
 * Whatever reads a report must treat it as written by an attacker.
 */
export const HostReport = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("ready") }),
  z.object({ kind: z.literal("connect"), id: z.int() }),
  z.object({ kind: z.literal("started"), id: z.int() }),
  z.object({
    kind: z.literal("progress"),
    id: z.int(),
    rows: Count,
    engine: EngineProgress.extend({ state: storedText(100) }).optional(),
  }),
  /** Its bytes are attached. */
  z.object({ kind: z.literal("chunk"), id: z.int() }),
  /** Of statements that run together: the snapshot is taken; the next of them has ended, whose chunks came before. */
  z.object({ kind: z.literal("snapshot"), id: z.int() }),
  z.object({ kind: z.literal("part"), id: z.int(), answer: PartAnswer }),
  z.object({ kind: z.literal("list"), id: z.int(), piece: ListPiece }),
  z.object({ kind: z.literal("answer"), id: z.int(), answer: Answer }),
  z.object({ kind: z.literal("idle"), id: z.int() }),
]);
export type HostReport = z.infer<typeof HostReport>;
