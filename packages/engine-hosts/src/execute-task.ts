import type { Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import type { EngineProgress } from "@querybell/domain";
import { cutText } from "@querybell/domain/text";
import {
  type ConnectionContext,
  connect,
  EngineError,
  type EngineSession,
  endAbandonedQueries,
  ResultWriter,
  UploadRefused,
} from "@querybell/engines";
import { ResultInputs } from "@querybell/summaries/result-table";
import { checkIsolation } from "./isolation/check-isolation.ts";
import {
  type Answer,
  type DatabaseTask,
  type HostReport,
  type ListPiece,
  maxTogetherBytes,
  type PartAnswer,
  type Task,
} from "./messages.ts";
import { splitList, takeComments, toColumnRows } from "./schema-pieces.ts";

const progressEveryMs = 250;
const interruptEveryMs = 100;
const maxMessageLength = 2000;
const maxPictureChunk = 256 * 1024;

type TogetherTask = Extract<Task, { kind: "run_together" }>;
type StatementOfTask = TogetherTask["statements"][number];
type CompletedAnswer = Extract<Answer, { kind: "completed" }>;

/** Resolves when the report was handed to the system. Throws `EngineError` if it is too large. */
export type SendReport = (report: HostReport, attachment?: Uint8Array) => Promise<void>;

/** The execution of a task, inside a host. */
export class TaskExecution {
  readonly #task: Task;
  readonly #report: SendReport;
  /** The stored results of a task that computes from them. */
  readonly inputs = new ResultInputs();
  readonly #stopped = Promise.withResolvers<never>();
  #awaitedSocket: PromiseWithResolvers<Socket> | undefined;
  #lastSocket: Promise<unknown> = Promise.resolve();
  #connecting: Promise<EngineSession> | undefined;
  #session: EngineSession | undefined;
  #rows = 0;
  /** Sent so far. */
  #resultBytes = 0;
  #engineProgress: EngineProgress | undefined;
  #reportedAt = 0;
  #cancelled = false;
  #settled = false;

  constructor(task: Task, report: SendReport) {
    this.#task = task;
    this.#report = report;
    // Awaited only while connecting.
    this.#stopped.promise.catch(() => {});
  }

  get id(): number {
    return this.#task.id;
  }

  /** Never rejects because of the engine: a failure is an answer. */
  async start(): Promise<void> {
    await this.#report({ kind: "started", id: this.id });
    const answer = await this.#answer().catch(toFailure);
    this.#settled = true;
    await this.#sendAnswer(this.#cancelled ? toFailure(cancelled()) : answer);
    await this.#connecting?.then((session) => session.close()).catch(() => {});
    await this.#report({ kind: "idle", id: this.id });
  }

  /** The parent's answer to a request for a connection. */
  addConnection(socket: Socket): void {
    if (this.#awaitedSocket) this.#awaitedSocket.resolve(socket);
    else socket.destroy();
    this.#awaitedSocket = undefined;
  }

  refuseConnection(error: string): void {
    this.#awaitedSocket?.reject(new Error(error));
    this.#awaitedSocket = undefined;
  }

  /** An interrupt can come too early or get lost, so it is repeated until the engine has stopped. */
  async cancel(): Promise<void> {
    if (this.#cancelled) return;
    this.#cancelled = true;
    this.#stopped.reject(cancelled());
    while (!this.#settled) {
      await this.#session?.interrupt().catch(() => {});
      await wait(interruptEveryMs);
    }
  }

  async #answer(): Promise<Answer> {
    switch (this.#task.kind) {
      case "check":
        return { kind: "checked", ...(await checkIsolation(this.#task)) };
      case "compute": {
        const { computeAnswer } = await import("@querybell/summaries/compute-answer");
        const { operation, cuts } = this.#task;
        // The parent may cancel before it has sent everything.
        const tables = await Promise.race([this.inputs.tables(cuts), this.#stopped.promise]);
        return { kind: "computed", answer: computeAnswer(operation, tables) };
      }
      case "compare_results": {
        const { compareResults } = await import("@querybell/summaries/compare-results");
        const inputs = await Promise.race([this.inputs.whole(), this.#stopped.promise]);
        const send = (bytes: Uint8Array) => this.#report({ kind: "chunk", id: this.id }, bytes);
        const outcome = await compareResults(inputs, this.#task.comparison, send);
        return { kind: "results_compared", outcome };
      }
      case "judge_run": {
        const { judgeRun } = await import("@querybell/conditions/judge-run");
        const { judging } = this.#task;
        const cuts = judging.inputs.map(({ cut }) => cut);
        const tables = await Promise.race([this.inputs.tables(cuts), this.#stopped.promise]);
        const { judged, rowsParts } = judgeRun(judging, tables);
        for (const part of rowsParts) await this.#report({ kind: "chunk", id: this.id }, part);
        return { kind: "run_judged", judged };
      }
      case "replay_condition": {
        const { replayResults } = await import("@querybell/conditions/replay-results");
        const jsons = await Promise.race([this.inputs.whole(), this.#stopped.promise]);
        return { kind: "condition_replayed", replayed: replayResults(this.#task.replay, jsons) };
      }
      case "draw_picture":
        return this.#drawPicture(this.#task);
      case "draw_dashboard":
        return this.#drawDashboard(this.#task);
      case "preview_upload": {
        const { previewFile } = await import("@querybell/engines/preview-file");
        const { memoryBytes } = this.#task.limits;
        return { kind: "upload_previewed", preview: await previewFile(this.#task, memoryBytes) };
      }
      case "change_tables": {
        const { changeTables } = await import("@querybell/engines/change-tables");
        const { database, change, limits } = this.#task;
        const { memoryBytes } = limits;
        return { kind: "tables_changed", changed: await changeTables({ database, change, memoryBytes }) };
      }
      case "version": {
        const session = await this.#open(this.#task);
        return { kind: "version", version: await session.version(), warnings: await session.warnings() };
      }
      case "tables": {
        const tables = await (await this.#open(this.#task)).listTables(this.#task);
        const rows = splitList(tables.flatMap(toColumnRows));
        await this.#sendList(rows.map((items) => ({ list: "columns", items })));
        const comments = splitList(takeComments(tables));
        await this.#sendList(comments.map((items) => ({ list: "comments", items })));
        return { kind: "tables" };
      }
      case "schemas": {
        const schemas = splitList(await (await this.#open(this.#task)).listSchemas());
        await this.#sendList(schemas.map((items) => ({ list: "schemas", items })));
        return { kind: "schemas" };
      }
      case "end_abandoned_queries":
        await endAbandonedQueries(this.#task.database, this.#contextOf(this.#task));
        return { kind: "abandoned_queries_ended" };
      case "run": {
        const session = await this.#open(this.#task);
        await this.#addCharts(session, this.#task.charts);
        return this.#run(session, this.#task.statement);
      }
      case "run_together":
        return this.#runTogether(await this.#open(this.#task), this.#task);
    }
  }

  async #runTogether(session: EngineSession, { statements, limits }: TogetherTask): Promise<Answer> {
    if (!session.beginSnapshot) throw new EngineError("query_failed", "This engine has no snapshots.");
    await session.beginSnapshot();
    await this.#report({ kind: "snapshot", id: this.id });
    for (const statement of statements) {
      if (this.#cancelled) throw cancelled();
      const late = interruptAfter(session, limits.timeMs);
      const answer = await this.#runPart(session, statement).catch(toEngineFailure);
      await late.stop();
      // A cancel ends the whole task.
      if (this.#cancelled) throw cancelled();
      const isLate = late.isLate && answer.kind === "failed";
      await this.#report({
        kind: "part",
        id: this.id,
        answer: isLate ? toEngineFailure(tooLate(limits)) : answer,
      });
    }
    return { kind: "together_ended" };
  }

  async #runPart(session: EngineSession, statement: StatementOfTask): Promise<PartAnswer> {
    if (this.#resultBytes >= maxTogetherBytes) {
      throw new EngineError(
        "result_too_large",
        "The results that run together are too large. Let their queries return fewer rows.",
      );
    }
    return this.#run(session, statement);
  }

  async #open(task: DatabaseTask): Promise<EngineSession> {
    this.#connecting = connect(task.database, this.#contextOf(task));
    // No statement runs yet, so a cancel does not have to wait for the database.
    this.#session = await Promise.race([this.#connecting, this.#stopped.promise]);
    return this.#session;
  }

  #contextOf({ dataFolder, label, limits: { timeMs, memoryBytes } }: DatabaseTask): ConnectionContext {
    return {
      dataFolder,
      openSocket: () => this.#openSocket(),
      timeMs,
      memoryBytes,
      label,
      onProgress: (progress) => {
        this.#engineProgress = progress;
        void this.#reportProgress();
      },
    };
  }

  /** The parent opens one connection at a time. */
  #openSocket(): Promise<Socket> {
    const socket = this.#lastSocket.then(() => this.#requestSocket());
    this.#lastSocket = socket.catch(() => {});
    return socket;
  }

  async #requestSocket(): Promise<Socket> {
    const awaited = Promise.withResolvers<Socket>();
    this.#awaitedSocket = awaited;
    await this.#report({ kind: "connect", id: this.id });
    return awaited.promise;
  }

  /** The parent may cancel before it has sent everything. */
  async #addCharts(session: EngineSession, names: readonly string[]): Promise<void> {
    if (names.length === 0) return;
    const tables = await Promise.race([this.inputs.tables(names.map(() => false)), this.#stopped.promise]);
    const results = tables.map(({ fields, rows }, at) => ({ name: names[at] ?? "", fields, rows }));
    if (!session.addResults) throw new EngineError("query_failed", "This engine reads no results of charts.");
    await session.addResults(results);
  }

  async #run(session: EngineSession, statement: StatementOfTask): Promise<CompletedAnswer> {
    const execution = await session.execute(statement);
    const isAlone = this.#task.kind === "run";
    if (isAlone)
      await this.#sendList(splitList(execution.fields).map((items) => ({ list: "fields", items })));
    const send = (bytes: Uint8Array) => {
      this.#resultBytes += bytes.length;
      return this.#report({ kind: "chunk", id: this.id }, bytes);
    };
    const writer = new ResultWriter(this.#task.limits, send);
    try {
      await writer.begin(execution.fields);
      for await (const batch of execution.batches) {
        if (this.#cancelled || !(await writer.add(batch))) break;
        this.#rows = writer.rowCount;
        await this.#reportProgress();
      }
    } catch (error) {
      // Nothing of it may arrive among the results of the next statement.
      await writer.abort();
      throw error;
    }
    const summary = await writer.end();
    const rowsRead = execution.rowsRead();
    // The last progress is always sent, even right after another one, so that it agrees with the result.
    if (this.#engineProgress) await this.#sendProgress();
    return {
      kind: "completed",
      ...summary,
      ...(rowsRead !== undefined && { rowsRead }),
    };
  }

  async #drawPicture({ picture, cut }: Extract<Task, { kind: "draw_picture" }>): Promise<Answer> {
    const { drawPictureOf } = await import("./pictures/draw-picture.ts");
    const [table] = await Promise.race([this.inputs.tables([cut]), this.#stopped.promise]);
    const bytes = table && drawPictureOf(table, picture);
    if (!bytes) return { kind: "picture_drawn", isTable: true };
    return this.#sendPicture(bytes);
  }

  async #drawDashboard({ picture, cuts }: Extract<Task, { kind: "draw_dashboard" }>): Promise<Answer> {
    const { drawDashboardOf } = await import("./pictures/draw-dashboard.ts");
    const read = await Promise.race([this.inputs.reader(cuts), this.#stopped.promise]);
    return this.#sendPicture(drawDashboardOf(picture, read));
  }

  async #sendPicture(bytes: Uint8Array): Promise<Answer> {
    for (let from = 0; from < bytes.length; from += maxPictureChunk) {
      const chunk = bytes.subarray(from, from + maxPictureChunk);
      await this.#report({ kind: "chunk", id: this.id }, chunk);
    }
    return { kind: "picture_drawn", isTable: false };
  }

  async #sendAnswer(answer: Answer): Promise<void> {
    try {
      await this.#report({ kind: "answer", id: this.id, answer });
    } catch (error) {
      await this.#report({ kind: "answer", id: this.id, answer: toFailure(error) });
    }
  }

  async #sendList(pieces: Iterable<ListPiece>): Promise<void> {
    for (const piece of pieces) await this.#report({ kind: "list", id: this.id, piece });
  }

  async #reportProgress(): Promise<void> {
    if (this.#settled || performance.now() - this.#reportedAt < progressEveryMs) return;
    await this.#sendProgress();
  }

  async #sendProgress(): Promise<void> {
    this.#reportedAt = performance.now();
    const engine = this.#engineProgress;
    await this.#report({ kind: "progress", id: this.id, rows: this.#rows, ...(engine && { engine }) });
  }
}

const cancelled = () => new EngineError("cancelled", "The run was cancelled.");

const tooLate = ({ timeMs }: Task["limits"]) =>
  new EngineError(
    "query_timeout",
    `The query took longer than ${timeMs / 1000} seconds. Make it read less, or raise the limit.`,
  );

/** Asks the engine to stop its statement after a time, again and again until `stop` is called. */
function interruptAfter(session: EngineSession, timeMs: number) {
  const ended = new AbortController();
  const state = {
    isLate: false,
    /** Resolves when no request is on its way any more: it would hit the next statement. */
    async stop() {
      ended.abort();
      await interrupting;
    },
  };
  const interruptUntilEnded = async () => {
    await wait(timeMs, undefined, { signal: ended.signal });
    state.isLate = true;
    while (!ended.signal.aborted) {
      await session.interrupt().catch(() => {});
      await wait(interruptEveryMs, undefined, { signal: ended.signal });
    }
  };
  const interrupting = interruptUntilEnded().catch(() => {});
  return state;
}

function toFailure(error: unknown): Answer {
  if (error instanceof UploadRefused) {
    const { reason, found } = error;
    const message = cutText(error.message, maxMessageLength);
    return { kind: "upload_refused", refusal: { reason, message, ...(found && { found }) } };
  }
  return toEngineFailure(error);
}

function toEngineFailure(error: unknown): Extract<Answer, { kind: "failed" }> {
  const known = error instanceof EngineError ? error : undefined;
  const message = known?.message ?? `The engine failed: ${error instanceof Error ? error.message : error}`;
  // Engines may repeat the whole statement in the message.
  const failure = {
    code: known?.code ?? ("engine_crashed" as const),
    message: cutText(message, maxMessageLength),
    ...(known?.offset !== undefined && { offset: known.offset }),
  };
  return { kind: "failed", failure };
}
