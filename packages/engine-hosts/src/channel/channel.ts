import type { Duplex } from "node:stream";
import { ChannelViolation, encodeFrame, type FrameLimits, FrameReader } from "./frames.ts";

// The event loop continues with other work after this time.
const turnMs = 10;

export interface ChannelOptions {
  limits: FrameLimits;
  /** How many bytes may wait for a peer that does not read. */
  maxUnreadBytes: number;
  /** Called for each frame. Throws `ChannelViolation` to end the channel. */
  onFrame(document: Buffer, attachment: Buffer): void;
  /** Called once. Nothing is read after it. */
  onViolation(violation: ChannelViolation): void;
}

/**
 * Messages between an engine host and its parent, over a pipe. The peer may be hostile: what it sends is limited in
 * size, and reading it never occupies the event loop for long.
 */
export class Channel {
  readonly #stream: Duplex;
  readonly #options: ChannelOptions;
  readonly #reader: FrameReader;
  /** When the reading in this turn of the event loop began. */
  #turnStartedAt: number | undefined;
  #isOver = false;

  constructor(stream: Duplex, options: ChannelOptions) {
    this.#stream = stream;
    this.#options = options;
    this.#reader = new FrameReader(options.limits);
    // An error closes the stream. What it means is decided by whoever waits for its end.
    stream.on("error", () => {});
    stream.on("data", (bytes: Buffer) => this.#receive(bytes));
  }

  /** Resolves when the message was handed to the system, to false if it cannot be any more: the peer has ended then. */
  send(document: string, attachment?: Uint8Array): Promise<boolean> {
    if (this.#stream.writableLength > this.#options.maxUnreadBytes) {
      this.#end(new ChannelViolation("nothing, and did not read what it was sent"));
    }
    if (this.#isOver) return Promise.resolve(false);
    const frame = encodeFrame(document, attachment?.length);
    return new Promise((resolve) => {
      const onWritten = (error: Error | null | undefined) => resolve(!error);
      if (!attachment) return void this.#stream.write(frame, onWritten);
      this.#stream.cork();
      this.#stream.write(frame);
      this.#stream.write(attachment, onWritten);
      this.#stream.uncork();
    });
  }

  #receive(bytes: Buffer): void {
    if (this.#isOver) return;
    this.#turnStartedAt ??= this.#startTurn();
    try {
      for (const { document, attachment } of this.#reader.read(bytes)) {
        this.#options.onFrame(document, attachment);
        if (this.#isOver) return;
      }
    } catch (error) {
      if (!(error instanceof ChannelViolation)) throw error;
      this.#end(error);
    }
    // Node reads many times in one turn if there is always something to read.
    if (performance.now() - this.#turnStartedAt > turnMs) this.#stream.pause();
  }

  #startTurn(): number {
    setImmediate(() => {
      this.#turnStartedAt = undefined;
      if (!this.#isOver) this.#stream.resume();
    });
    return performance.now();
  }

  #end(violation: ChannelViolation): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#stream.destroy();
    this.#options.onViolation(violation);
  }
}
