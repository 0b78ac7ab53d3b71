import { ChannelViolation } from "./channel.ts";

/**
 * Limits of a document. zod reports every invalid element: for a hundred thousand of them, that takes a
 * second.
 */
export const maxDocumentBytes = 4 * 1024 ** 2;
const maxSeparators = 20_000;
const maxObjects = 2_000;
const maxDepth = 20;

const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a];
const [openList, closeList, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Parses JSON of a hostile peer, in a time that the size of the document limits. */
export function parseDocument(document: Buffer): unknown {
  checkStructure(document);
  try {
    return JSON.parse(document.toString());
  } catch {
    throw new ChannelViolation("a message that is not JSON");
  }
}

/** Counts values and levels outside of strings. The parser decides whether the document is valid JSON. */
function checkStructure(document: Buffer): void {
  let [separators, objects, depth] = [0, 0, 0];
  let isText = false;
  for (let index = 0; index < document.length; index++) {
    const byte = document[index];
    if (isText) {
      if (byte === backslash) index++;
      else if (byte === quote) isText = false;
    } else if (byte === quote) isText = true;
    else if (byte === comma || byte === colon) separators++;
    else if (byte === openList || byte === openObject) {
      depth++;
      separators++;
      if (byte === openObject) objects++;
    } else if (byte === closeList || byte === closeObject) depth--;
    if (depth > maxDepth) throw new ChannelViolation("a message with too many levels");
    if (separators > maxSeparators || objects > maxObjects) {
      throw new ChannelViolation("a message with too many values");
    }
  }
}

/** Whether the parent accepts this document from a host. */
export function fitsChannel(document: string): boolean {
  const bytes = Buffer.from(document);
  try {
    checkStructure(bytes);
    return bytes.length <= maxDocumentBytes;
  } catch {
    return false;
  }
}

const maxMessages = 2000;
const messagesPerSecond = 20;
export const maxMessageBytes = 40 * 1024 ** 2;

/**
 * How many messages a host may send, without pieces of results, which are limited separately. Its longest listing
 * takes a few hundred, and a run reports its progress four times a second.
 */
export class MessageBudget {
  readonly #now: () => number;
  #messages = maxMessages;
  #bytes = maxMessageBytes;
  #countedAt: number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
    this.#countedAt = now();
  }

  /** Throws `ChannelViolation` when there is nothing left. */
  spend(bytes: number): void {
    const seconds = (this.#now() - this.#countedAt) / 1000;
    this.#countedAt = this.#now();
    this.#messages = Math.min(maxMessages, this.#messages + seconds * messagesPerSecond) - 1;
    this.#bytes =
      Math.min(maxMessageBytes, this.#bytes + (seconds * messagesPerSecond * maxMessageBytes) / maxMessages) -
      bytes;
    if (this.#messages < 0 || this.#bytes < 0) throw new ChannelViolation("too many messages");
  }
}
