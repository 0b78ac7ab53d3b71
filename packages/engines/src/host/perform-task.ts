import { setTimeout as wait } from "node:timers/promises";
import { connect } from "../connect.ts";
import { EngineError, type EngineSession } from "../engine.ts";
import { ResultWriter } from "../results/result-writer.ts";
import type { Answer, HostReport, Task } from "./messages.ts";

const progressEveryMs = 250;
const interruptEveryMs = 100;

export type Report = (report: HostReport) => Promise<void>;

/** The one thing a host is doing. */
export class RunningTask {
  readonly #task: Task;
  readonly #report: Report;
  #session: EngineSession | undefined;
  #cancelled = false;
  #settled = false;

  constructor(task: Task, report: Report) {
    this.#task = task;
    this.#report = report;
  }

  get id(): number {
    return this.#task.id;
  }

  /** Never throws: whatever happens is the answer. */
  async perform(): Promise<void> {
    await this.#report({ kind: "begun", id: this.id });
    const answer = await this.#answer().catch(toFailure);
    this.#settled = true;
    await this.#report({
      kind: "answer",
      id: this.id,
      answer: this.#cancelled ? toFailure(new EngineError("cancelled", "The run was cancelled.")) : answer,
    });
    await this.#session?.close().catch(() => {});
    await this.#report({ kind: "idle", id: this.id });
  }

  /** An interrupt can come too early, or get lost: it is repeated until the engine has let go. */
  async cancel(): Promise<void> {
    if (this.#cancelled) return;
    this.#cancelled = true;
    while (!this.#settled) {
      await this.#session?.interrupt().catch(() => {});
      await wait(interruptEveryMs);
    }
  }

  async #answer(): Promise<Answer> {
    const { database, dataFolder, addresses, limits } = this.#task;
    const { timeMs, memoryBytes } = limits;
    this.#session = await connect(database, { dataFolder, addresses, timeMs, memoryBytes });
    switch (this.#task.kind) {
      case "version":
        return { kind: "version", version: await this.#session.version() };
      case "tables":
        return { kind: "tables", tables: await this.#session.listTables() };
      case "run":
        return this.#run(this.#session, this.#task.statement);
    }
  }

  async #run(session: EngineSession, statement: { text: string; values: string[] }): Promise<Answer> {
    const send = (bytes: Uint8Array) => this.#report({ kind: "chunk", id: this.id, bytes });
    const writer = new ResultWriter(this.#task.limits, send);
    const execution = await session.execute(statement);
    await writer.begin(execution.fields);
    let reportedAt = performance.now();
    for await (const batch of execution.batches) {
      if (this.#cancelled || !(await writer.add(batch))) break;
      if (performance.now() - reportedAt < progressEveryMs) continue;
      reportedAt = performance.now();
      await this.#report({ kind: "progress", id: this.id, rows: writer.rowCount });
    }
    const summary = await writer.end();
    const rowsRead = execution.rowsRead();
    return {
      kind: "completed",
      fields: execution.fields,
      ...summary,
      ...(rowsRead !== undefined && { rowsRead }),
    };
  }
}

function toFailure(error: unknown): Answer {
  if (error instanceof EngineError) {
    return { kind: "failed", failure: { code: error.code, message: error.message } };
  }
  const reason = error instanceof Error ? error.message : String(error);
  return { kind: "failed", failure: { code: "engine_crashed", message: `The engine failed: ${reason}` } };
}
