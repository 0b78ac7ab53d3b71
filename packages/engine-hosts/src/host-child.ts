import type { ChildProcess } from "node:child_process";
import type { Socket } from "node:net";
import { constants } from "node:os";
import type { Readable } from "node:stream";
import { Channel, ChannelViolation } from "./channel/channel.ts";
import { MessageBudget, maxDocumentBytes, parseDocument } from "./channel/message-limits.ts";
import type { SocketChannel } from "./channel/socket-channel.ts";
import type { HostProgram, Isolation } from "./isolation/isolation.ts";
import { type MemoryBounds, MemoryLimit } from "./memory-limit.ts";
import { HostReport, type HostRequest, type Task } from "./messages.ts";
import { findHostPid, findProcessFolder, statDescriptors } from "./proc-files.ts";
import { killHost, spawnHost } from "./spawn-host.ts";

const limits = { documentBytes: maxDocumentBytes, attachmentBytes: 1024 ** 2 };
const maxUnreadBytes = 16 * 1024 ** 2;
const maxErrorTextLength = 4000;
// Three of its own, its connection, and some to cancel statements. The kernel holds megabytes for each.
const maxSockets = 16;
// A host writes nothing there until it crashes.
const maxErrorBytes = 1024 ** 2;

/** How a host ended; for the operator's log. */
export interface HostExit {
  pid: number | undefined;
  code: number | null;
  signal: NodeJS.Signals | null;
  errorText: string;
  /** What the host sent that it must not send, if it was killed for that. */
  violation?: string | undefined;
}

export type TaskReport = Exclude<HostReport, { kind: "ready" }>;

interface HostChildOptions extends HostProgram {
  isolation: Isolation;
  memory: MemoryBounds;
  /** Called for each message about a task. Throws `ChannelViolation` if it is not allowed now. */
  onReport(report: TaskReport, attachment: Buffer): void;
}

/** The process of an engine host, and the only place where its parent reads what it sends. */
export class HostChild {
  readonly exit: Promise<HostExit>;
  readonly #child: ChildProcess;
  readonly #channel: Channel;
  readonly #sockets: SocketChannel;
  readonly #onReport: HostChildOptions["onReport"];
  #budget = new MessageBudget();
  #memoryBounds: MemoryBounds;
  #memory: MemoryLimit | undefined;
  #pid = 0;
  /** How many sockets the host can be given before they are counted again. It cannot make any itself. */
  #socketsLeft = 0;
  #violation: string | undefined;

  constructor({ isolation, memory, onReport, ...program }: HostChildOptions) {
    const { child, messages, sockets } = spawnHost(isolation, program);
    this.#child = child;
    this.#sockets = sockets;
    this.#onReport = onReport;
    this.#memoryBounds = memory;
    this.#channel = new Channel(messages, {
      limits,
      maxUnreadBytes,
      onFrame: (document, attachment) => this.#receive(document, attachment),
      onViolation: ({ message }) => this.killFor(message),
    });
    // A host that closes its end cannot be talked to any more.
    messages.once("close", () => this.kill());
    this.exit = this.#untilExit();
  }

  /** The process id of the host itself, not of a program that launched it. 0 until the host is ready. */
  get pid(): number {
    return this.#pid;
  }

  /** Resolves when the request was handed to the system, to false if the host has ended. */
  send(request: HostRequest, attachment?: Uint8Array): Promise<boolean> {
    return this.#channel.send(JSON.stringify(request), attachment);
  }

  /** Sends a task. The host may send as many messages about it as a task needs. */
  startTask(task: Task): void {
    this.#budget = new MessageBudget();
    void this.send(task);
  }

  limitMemory(bounds: MemoryBounds): void {
    this.#memoryBounds = bounds;
    this.#memory?.change(bounds);
  }

  /** Gives a connected socket to the host. This process has no use for it afterwards. */
  sendSocket(socket: Socket, taskId: number): void {
    if (this.#socketsLeft === 0) this.#socketsLeft = Math.max(0, maxSockets - countSockets(this.#pid));
    const hasRoom = this.#socketsLeft > 0;
    const outcome = hasRoom ? this.#sockets.send(socket, taskId) : "closed";
    socket.destroy();
    if (hasRoom) this.#socketsLeft--;
    else this.killFor("requests for more connections than it needs");
    if (outcome === "full") this.killFor("requests for connections that it did not take");
  }

  kill(): void {
    if (this.#child.exitCode === null && this.#child.signalCode === null) killHost(this.#child);
  }

  killFor(violation: string): void {
    this.#violation ??= violation;
    this.kill();
  }

  #receive(document: Buffer, attachment: Buffer): void {
    const { data: report } = HostReport.safeParse(parseDocument(document));
    if (!report) throw new ChannelViolation("an unknown message");
    const carriesBytes = report.kind === "chunk";
    if (carriesBytes !== attachment.length > 0) throw new ChannelViolation("a message of the wrong form");
    if (!carriesBytes) this.#budget.spend(document.length);
    if (report.kind === "ready") this.#becomeReady();
    else this.#onReport(report, attachment);
  }

  #becomeReady(): void {
    if (this.#pid !== 0) throw new ChannelViolation("that it is ready, twice");
    this.#pid = findHostPid(this.#child.pid ?? 0);
    this.#memory = new MemoryLimit(this.#pid, this.#memoryBounds);
    void this.exit.then(() => this.#memory?.stop());
  }

  #untilExit(): Promise<HostExit> {
    const child = this.#child;
    const { stderr } = child;
    const errorText = stderr ? this.#keepEnd(stderr) : () => "";
    return new Promise((resolve) => {
      const resolveExit = (code: number | null, signal: NodeJS.Signals | null, reason = errorText()) =>
        resolve({
          pid: child.pid,
          code,
          signal: signal ?? signalOf(code),
          errorText: reason,
          violation: this.#violation,
        });
      child.once("close", resolveExit);
      child.once("error", (error) => {
        if (child.pid === undefined) resolveExit(null, null, String(error));
      });
    });
  }

  /** Reads a stream of text and keeps its end. */
  #keepEnd(stream: Readable): () => string {
    let end = Buffer.alloc(0);
    let receivedBytes = 0;
    stream.on("data", (bytes: Buffer) => {
      receivedBytes += bytes.length;
      end = Buffer.concat([end, bytes.subarray(-maxErrorTextLength)]).subarray(-maxErrorTextLength);
      if (receivedBytes <= maxErrorBytes) return;
      stream.destroy();
      this.killFor("too much text for the log");
    });
    return () => end.toString();
  }
}

/** The launching program exits with 128 plus the number of the signal that ended the host. */
function signalOf(code: number | null): NodeJS.Signals | null {
  const known = Object.entries(constants.signals).find(([, number]) => number === (code ?? 0) - 128);
  return known ? (known[0] as NodeJS.Signals) : null;
}

/** The sockets that a process has open; 0 on systems other than Linux. Infinite if they cannot be seen. */
function countSockets(pid: number): number {
  try {
    return statDescriptors(findProcessFolder(pid)).filter((stats) => stats.isSocket()).length;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
