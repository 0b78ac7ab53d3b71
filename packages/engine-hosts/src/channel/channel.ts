import type { Duplex } from "node:stream";

// The event loop continues with other work after this time.
const turnMs = 10;

interface ChannelOptions {
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
    // An error closes the stream. The code that waits for the end of the stream handles it.
    stream.on("error", () => {});
    stream.on("data", (bytes: Buffer) => this.#receive(bytes));
  }

  /** Resolves to true when the message was handed to the system, and to false if the peer has ended. */
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

/**
 * A frame is the length of a JSON document, the length of the bytes that belong to it (both as 32-bit numbers, big
 * endian), the document, and the bytes.
 */
const prefixBytes = 8;

interface FrameLimits {
  documentBytes: number;
  attachmentBytes: number;
}

interface Frame {
  document: Buffer;
  /** Bytes that are not JSON, such as a piece of a result. Empty for most messages. */
  attachment: Buffer;
}

/**
 * The peer sent something that it must not send. The message is for the operator's log and the failed task.
 */
export class ChannelViolation extends Error {
  override readonly name = "ChannelViolation";
}

/** Finds the frames in a stream of bytes. It holds at most one frame, and parses nothing but the lengths. */
export class FrameReader {
  readonly #limits: FrameLimits;
  readonly #prefix = Buffer.alloc(prefixBytes);
  #prefixFilled = 0;
  #documentBytes = 0;
  #content: Buffer | undefined;
  #contentFilled = 0;

  constructor(limits: FrameLimits) {
    this.#limits = limits;
  }

  /** The frames that these bytes complete. Throws `ChannelViolation` for a frame that is too large. */
  *read(bytes: Buffer): Generator<Frame> {
    let offset = 0;
    while (offset < bytes.length) {
      if (!this.#content) {
        const copied = bytes.copy(this.#prefix, this.#prefixFilled, offset);
        offset += copied;
        this.#prefixFilled += copied;
        if (this.#prefixFilled < prefixBytes) return;
        this.#content = this.#allocate();
      }
      const copied = bytes.copy(this.#content, this.#contentFilled, offset);
      offset += copied;
      this.#contentFilled += copied;
      if (this.#contentFilled < this.#content.length) return;
      const content = this.#content;
      this.#content = undefined;
      this.#prefixFilled = 0;
      this.#contentFilled = 0;
      yield {
        document: content.subarray(0, this.#documentBytes),
        attachment: content.subarray(this.#documentBytes),
      };
    }
  }

  #allocate(): Buffer {
    this.#documentBytes = this.#prefix.readUInt32BE(0);
    const attachmentBytes = this.#prefix.readUInt32BE(4);
    if (this.#documentBytes === 0) throw new ChannelViolation("a message without content");
    if (this.#documentBytes > this.#limits.documentBytes) {
      throw new ChannelViolation(`a message of ${this.#documentBytes} bytes`);
    }
    if (attachmentBytes > this.#limits.attachmentBytes) {
      throw new ChannelViolation(`a piece of ${attachmentBytes} bytes`);
    }
    // Not from Node's pool: a part of it would keep all of it in memory.
    return Buffer.allocUnsafeSlow(this.#documentBytes + attachmentBytes);
  }
}

/** A frame without its attachment, which follows. */
export function encodeFrame(document: string, attachmentBytes = 0): Buffer {
  const documentBytes = Buffer.byteLength(document);
  const frame = Buffer.allocUnsafe(prefixBytes + documentBytes);
  frame.writeUInt32BE(documentBytes, 0);
  frame.writeUInt32BE(attachmentBytes, 4);
  frame.write(document, prefixBytes);
  return frame;
}
