import type { Socket } from "node:net";
import { cutText } from "@querybell/domain/text";
import { ChannelViolation } from "./channel/channel.ts";
import { maxMessageBytes } from "./channel/message-limits.ts";
import type { HostTask, SendOptions, TaskOptions } from "./engine-host.ts";
import type { HostChild, TaskReport } from "./host-child.ts";
import { type Answer, type ListPiece, maxTogetherBytes, type PartAnswer, type Task } from "./messages.ts";

// A compressed result is smaller than its limit, plus some overhead.
const resultOverheadBytes = 1024 ** 2;
// A host sends pieces of several kilobytes, and a few small ones.
const smallestPieceBytes = 1024;
const maxListItems = 250_000;
// One connection for the run, and one for each request to stop it, which is repeated.
const maxConnections = 1000;
const maxErrorLength = 2000;

type CompletedAnswer = Extract<Answer, { kind: "completed" }>;

/** One of several statements that ran together, with its compressed result. */
export interface TaskPart {
  answer: PartAnswer;
  chunks: Uint8Array[];
}

type ItemOf<Name extends ListPiece["list"]> = Extract<ListPiece, { list: Name }>["items"][number];
export type TaskLists = { [Name in ListPiece["list"]]: ItemOf<Name>[] };

interface SentTaskOptions extends Pick<HostTask, "openSocket">, Omit<SendOptions, "signal" | "input"> {
  task: Task;
  host: Pick<HostChild, "send" | "sendSocket">;
}

/** A task that a host was sent, and what the host has reported about it. Refuses reports that it must not send. */
export class SentTask {
  readonly task: Task;
  readonly answer: Promise<Answer>;
  /** Resolves when the host can take another task. */
  readonly idle: Promise<void>;
  /** The compressed result, in order. Of statements that run together: that of the one that runs. */
  chunks: Uint8Array[] = [];
  /** The statements that have ended, of those that run together. */
  readonly parts: TaskPart[] = [];
  readonly lists: TaskLists = { fields: [], columns: [], comments: [], schemas: [] };
  readonly #host: SentTaskOptions["host"];
  readonly #openSocket: HostTask["openSocket"];
  readonly #onProgress: TaskOptions["onProgress"];
  readonly #onSnapshot: SendOptions["onSnapshot"];
  readonly #onPart: SendOptions["onPart"];
  readonly #answered = Promise.withResolvers<Answer>();
  readonly #idle = Promise.withResolvers<void>();
  #isStarted = false;
  #isAnswered = false;
  #isConnecting = false;
  #connections = 0;
  #resultBytes = 0;
  #resultPieces = 0;
  #listItems = 0;

  constructor({ host, task, openSocket, onProgress, onSnapshot, onPart }: SentTaskOptions) {
    this.task = task;
    this.answer = this.#answered.promise;
    this.idle = this.#idle.promise;
    this.#host = host;
    this.#openSocket = openSocket;
    this.#onProgress = onProgress;
    this.#onSnapshot = onSnapshot;
    this.#onPart = onPart;
  }

  get isStarted(): boolean {
    return this.#isStarted;
  }

  /** Throws `ChannelViolation` for a report that a host must not send now. */
  receive(report: TaskReport, attachment: Buffer): void {
    const isAfterAnswer = report.kind === "idle" || report.kind === "connect";
    if (this.#isAnswered && !isAfterAnswer) throw new ChannelViolation("more after its answer");
    switch (report.kind) {
      case "started":
        this.#isStarted = true;
        this.#onProgress?.(0);
        break;
      case "connect":
        this.#connect();
        break;
      case "progress":
        this.#onProgress?.(report.rows, report.engine);
        break;
      case "chunk":
        this.#addChunk(attachment);
        break;
      case "snapshot":
        if (this.task.kind !== "run_together") throw new ChannelViolation("a snapshot of another task");
        this.#onSnapshot?.();
        break;
      case "part":
        this.#addPart(report.answer);
        break;
      case "list":
        this.#addItems(report.piece);
        break;
      case "answer":
        this.#receiveAnswer(report.answer);
        break;
      case "idle":
        if (!this.#isAnswered) throw new ChannelViolation("that it is idle, without an answer");
        this.#idle.resolve();
        break;
    }
  }

  #receiveAnswer(answer: Answer): void {
    if (!isAnswerTo(this.task, answer)) throw new ChannelViolation("an answer to another task");
    if (answer.kind === "completed" && !fitsLimits(answer, this.task)) {
      throw new ChannelViolation("that its result is larger than it may be");
    }
    this.#isAnswered = true;
    this.#answered.resolve(answer);
  }

  #addChunk(bytes: Buffer): void {
    const { limits } = this.task;
    this.#resultBytes += bytes.length;
    this.#resultPieces++;
    this.chunks.push(bytes);
    const ofOthers = this.task.kind === "run_together" ? maxTogetherBytes : 0;
    const mostBytes = limits.bytes + resultOverheadBytes + ofOthers;
    if (this.#resultBytes > mostBytes || this.#resultPieces > mostBytes / smallestPieceBytes) {
      throw new ChannelViolation("a larger result than it may have");
    }
  }

  /** What a statement sent before it failed is dropped. */
  #addPart(answer: PartAnswer): void {
    if (this.task.kind !== "run_together" || this.parts.length === this.task.statements.length) {
      throw new ChannelViolation("the end of a statement that it was not sent");
    }
    if (answer.kind === "completed" && !fitsLimits(answer, this.task)) {
      throw new ChannelViolation("that its result is larger than it may be");
    }
    this.parts.push({ answer, chunks: answer.kind === "completed" ? this.chunks : [] });
    this.chunks = [];
    this.#onPart?.();
  }

  #addItems(piece: ListPiece): void {
    this.#listItems += piece.items.length;
    if (this.#listItems > maxListItems) throw new ChannelViolation("too long a list");
    switch (piece.list) {
      case "fields":
        this.lists.fields.push(...piece.items);
        break;
      case "columns":
        this.lists.columns.push(...piece.items);
        break;
      case "comments":
        this.lists.comments.push(...piece.items);
        break;
      case "schemas":
        this.lists.schemas.push(...piece.items);
        break;
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
      if (socket.destroyed) throw new Error("The server closed the connection at once.");
    } catch (error) {
      this.#isConnecting = false;
      const reason = error instanceof Error ? error.message || error.name : String(error);
      void this.#host.send({ kind: "no_connection", id, error: cutText(reason, maxErrorLength) });
      return;
    }
    this.#isConnecting = false;
    this.#host.sendSocket(socket, id);
  }
}

const answerKinds: Record<Task["kind"], Answer["kind"][]> = {
  run: ["completed"],
  run_together: ["together_ended"],
  version: ["version"],
  tables: ["tables"],
  schemas: ["schemas"],
  end_abandoned_queries: ["abandoned_queries_ended"],
  compute: ["computed"],
  compare_results: ["results_compared"],
  judge_run: ["run_judged"],
  replay_condition: ["condition_replayed"],
  draw_picture: ["picture_drawn"],
  draw_dashboard: ["picture_drawn"],
  preview_upload: ["upload_previewed", "upload_refused"],
  change_tables: ["tables_changed", "upload_refused"],
  check: ["checked"],
};

/**
 * The field descriptions do not count towards the limit. They came in messages, which have their own limit.
 */
const fitsLimits = ({ rowCount, jsonBytes }: CompletedAnswer, { limits }: Task): boolean =>
  rowCount <= limits.rows && jsonBytes <= limits.bytes + maxMessageBytes;

function isAnswerTo(task: Task, answer: Answer): boolean {
  if (answer.kind === "failed") return true;
  if (!answerKinds[task.kind].includes(answer.kind)) return false;
  return task.kind !== "compute" || answer.kind !== "computed" || task.operation.name === answer.answer.name;
}
