import type { Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import type { EngineProgress } from "@querybell/domain";
import { cutText } from "@querybell/domain/text";
import { connect, endAbandonedQueries } from "../connect.ts";
import { type ConnectionContext, EngineError, type EngineSession } from "../engine.ts";
import { ResultWriter } from "../results/result-writer.ts";
import { performOperation } from "../stored-results/operations.ts";
import { ResultInputs } from "../stored-results/result-inputs.ts";
import { UploadRefused } from "../uploads/upload-tasks.ts";
import { checkIsolation } from "./isolation/check-isolation.ts";
import type { Answer, DatabaseTask, HostReport, Task } from "./messages.ts";

const progressEveryMs = 250;
const interruptEveryMs = 100;
const maxMessageLength = 2000;

export type Report = (report: HostReport) => Promise<void>;

/** The task that a host is performing. */
export class RunningTask {
  readonly #task: Task;
  readonly #report: Report;
  /** The stored results of a "compute" task. */
  readonly inputs = new ResultInputs();
  readonly #stopped = Promise.withResolvers<never>();
  readonly #awaitedSockets: PromiseWithResolvers<Socket>[] = [];
  #connecting: Promise<EngineSession> | undefined;
  #session: EngineSession | undefined;
  #rows = 0;
  #engineProgress: EngineProgress | undefined;
  #reportedAt = 0;
  #cancelled = false;
  #settled = false;

  constructor(task: Task, report: Report) {
    this.#task = task;
    this.#report = report;
    // Awaited only while connecting.
    this.#stopped.promise.catch(() => {});
  }

  get id(): number {
    return this.#task.id;
  }

  /** Never rejects because of the engine: a failure is an answer. */
  async perform(): Promise<void> {
    await this.#report({ kind: "started", id: this.id });
    const answer = await this.#answer().catch(toFailure);
    this.#settled = true;
    await this.#report({
      kind: "answer",
      id: this.id,
      answer: this.#cancelled ? toFailure(cancelled()) : answer,
    });
    await this.#connecting?.then((session) => session.close()).catch(() => {});
    await this.#report({ kind: "idle", id: this.id });
  }

  /** The parent's answer to the oldest request for a connection. */
  addConnection(
    socket: Socket | undefined,
    error = "The connection was closed before the host received it.",
  ): void {
    const awaited = this.#awaitedSockets.shift();
    if (socket && awaited) awaited.resolve(socket);
    else {
      socket?.destroy();
      awaited?.reject(new Error(error));
    }
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
        return { kind: "checked", possible: await checkIsolation(this.#task) };
      case "compute": {
        const { operation, cuts } = this.#task;
        // The parent may cancel before it has sent everything.
        const tables = await Promise.race([this.inputs.tables(cuts), this.#stopped.promise]);
        return { kind: "computed", answer: performOperation(operation, tables) };
      }
      case "preview_upload": {
        const { previewUpload } = await import("../uploads/preview-upload.ts");
        const { memoryBytes } = this.#task.limits;
        return { kind: "upload_previewed", preview: await previewUpload(this.#task, memoryBytes) };
      }
      case "change_tables": {
        const { changeTables } = await import("../uploads/change-tables.ts");
        const { database, change, limits } = this.#task;
        const { memoryBytes } = limits;
        return { kind: "tables_changed", changed: await changeTables({ database, change, memoryBytes }) };
      }
      case "version": {
        const session = await this.#open(this.#task);
        return { kind: "version", version: await session.version(), warnings: await session.warnings() };
      }
      case "tables":
        return { kind: "tables", tables: await (await this.#open(this.#task)).listTables(this.#task) };
      case "schemas":
        return { kind: "schemas", schemas: await (await this.#open(this.#task)).listSchemas() };
      case "end_abandoned_queries":
        await endAbandonedQueries(this.#task.database, this.#contextOf(this.#task));
        return { kind: "abandoned_queries_ended" };
      case "run":
        return this.#run(await this.#open(this.#task), this.#task.statement);
    }
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

  async #openSocket(): Promise<Socket> {
    const awaited = Promise.withResolvers<Socket>();
    this.#awaitedSockets.push(awaited);
    await this.#report({ kind: "connect", id: this.id });
    return awaited.promise;
  }

  async #run(session: EngineSession, statement: { text: string; values: string[] }): Promise<Answer> {
    const execution = await session.execute(statement);
    const send = (bytes: Uint8Array) => this.#report({ kind: "chunk", id: this.id, bytes });
    const writer = new ResultWriter(this.#task.limits, send);
    await writer.begin(execution.fields);
    for await (const batch of execution.batches) {
      if (this.#cancelled || !(await writer.add(batch))) break;
      this.#rows = writer.rowCount;
      await this.#reportProgress();
    }
    const summary = await writer.end();
    const rowsRead = execution.rowsRead();
    // The last progress of a cluster agrees with the result, however soon it comes after the one before.
    if (this.#engineProgress) await this.#sendProgress();
    return {
      kind: "completed",
      fields: execution.fields,
      ...summary,
      ...(rowsRead !== undefined && { rowsRead }),
    };
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

function toFailure(error: unknown): Answer {
  if (error instanceof UploadRefused) {
    const message = cutText(error.message, maxMessageLength);
    return { kind: "upload_refused", refusal: { reason: error.reason, message } };
  }
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
