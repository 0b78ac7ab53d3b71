/**
 * A frame is the length of a JSON document, the length of the bytes that belong to it (both as 32-bit numbers, big
 * endian), the document, and the bytes.
 */
const prefixBytes = 8;

export interface FrameLimits {
  documentBytes: number;
  attachmentBytes: number;
}

export interface Frame {
  document: Buffer;
  /** Bytes that are not JSON, such as a piece of a result. Empty for most messages. */
  attachment: Buffer;
}

/** What a peer must not send. The message is for the operator's log and the failure of the task. */
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
