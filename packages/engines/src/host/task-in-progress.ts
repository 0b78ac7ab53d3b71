import type { Socket } from "node:net";
import { cutText } from "@querybell/domain/text";
import { ChannelViolation } from "./channel/frames.ts";
import type { HostTask, TaskOptions } from "./engine-host.ts";
import type { HostChild, TaskReport } from "./host-child.ts";
import type { Answer, ListPiece, Task } from "./messages.ts";

// A compressed result is smaller than its limit, plus some overhead.
const resultOverheadBytes = 1024 ** 2;
// A host sends pieces of several kilobytes, and a few small ones.
const smallestPieceBytes = 1024;
const maxListItems = 250_000;
// One connection for the run, and one for each request to stop it, which is repeated.
const maxConnections = 1000;
const maxErrorLength = 2000;

type ItemOf<Name extends ListPiece["list"]> = Extract<ListPiece, { list: Name }>["items"][number];
export type TaskLists = { [Name in ListPiece["list"]]: ItemOf<Name>[] };

interface TaskInProgressOptions extends HostTask, Pick<TaskOptions, "onProgress"> {
  host: Pick<HostChild, "send" | "sendSocket">;
}

/** What a host has said about its task so far, as far as it may say it. */
export class TaskInProgress {
  readonly task: Task;
  readonly answer: Promise<Answer>;
  /** Resolves when the host can take another task. */
  readonly idle: Promise<void>;
  /** The compressed result, in order. */
  readonly chunks: Uint8Array[] = [];
  readonly lists: TaskLists = { fields: [], columns: [], schemas: [] };
  readonly #host: TaskInProgressOptions["host"];
  readonly #openSocket: HostTask["openSocket"];
  readonly #onProgress: TaskOptions["onProgress"];
  readonly #answered = Promise.withResolvers<Answer>();
  readonly #idle = Promise.withResolvers<void>();
  #isStarted = false;
  #isAnswered = false;
  #isConnecting = false;
  #connections = 0;
  #resultBytes = 0;
  #listItems = 0;

  constructor({ host, task, openSocket, onProgress }: TaskInProgressOptions) {
    this.task = task;
    this.answer = this.#answered.promise;
    this.idle = this.#idle.promise;
    this.#host = host;
    this.#openSocket = openSocket;
    this.#onProgress = onProgress;
  }

  get isStarted(): boolean {
    return this.#isStarted;
  }

  /** Throws `ChannelViolation` for a report that a host must not send now. */
  receive(report: TaskReport, attachment: Buffer): void {
    switch (report.kind) {
      case "started":
        this.#isStarted = true;
        return this.#onProgress?.(0);
      case "connect":
        return this.#connect();
      case "idle":
        if (!this.#isAnswered) throw new ChannelViolation("that it is idle, without an answer");
        return this.#idle.resolve();
    }
    if (this.#isAnswered) throw new ChannelViolation("more after its answer");
    switch (report.kind) {
      case "progress":
        return this.#onProgress?.(report.rows, report.engine);
      case "chunk":
        return this.#addChunk(attachment);
      case "list":
        return this.#addItems(report.piece);
      case "answer":
        this.#isAnswered = true;
        return this.#answered.resolve(report.answer);
    }
  }

  #addChunk(bytes: Buffer): void {
    const { limits } = this.task;
    this.#resultBytes += bytes.length;
    this.chunks.push(bytes);
    const mostBytes = limits.bytes + resultOverheadBytes;
    if (this.#resultBytes > mostBytes || this.chunks.length > mostBytes / smallestPieceBytes) {
      throw new ChannelViolation("a larger result than it may have");
    }
  }

  #addItems(piece: ListPiece): void {
    this.#listItems += piece.items.length;
    if (this.#listItems > maxListItems) throw new ChannelViolation("too long a list");
    switch (piece.list) {
      case "fields":
        return void this.lists.fields.push(...piece.items);
      case "columns":
        return void this.lists.columns.push(...piece.items);
      case "schemas":
        return void this.lists.schemas.push(...piece.items);
    }
  }

  #connect(): void {
    this.#connections++;
    if (this.#isConnecting || this.#connections > maxConnections) {
      throw new ChannelViolation("too many requests for connections");
    }
    this.#isConnecting = true;
    void this.#answerConnect();
  }

  async #answerConnect(): Promise<void> {
    const { id } = this.task;
    let socket: Socket;
    try {
      if (!this.#openSocket) throw new Error("This task has no server.");
      socket = await this.#openSocket();
    } catch (error) {
      this.#isConnecting = false;
      const reason = error instanceof Error ? error.message || error.name : String(error);
      return this.#host.send({ kind: "no_connection", id, error: cutText(reason, maxErrorLength) });
    }
    this.#isConnecting = false;
    this.#host.sendSocket(socket, id);
  }
}
