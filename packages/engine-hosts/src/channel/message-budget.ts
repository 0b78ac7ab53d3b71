import { ChannelViolation } from "./frames.ts";

const maxMessages = 2000;
const messagesPerSecond = 20;
export const maxMessageBytes = 40 * 1024 ** 2;

/**
 * How many messages a host may send, without pieces of results, which have limits of their own. Its longest listing
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
