import { Readable } from "node:stream";

interface EventStreamOptions {
  messages: AsyncIterable<unknown>;
  /** What the client is sent when the messages end with this error. */
  describeError: (cause: unknown) => unknown;
  /** Options that the first event carries to the client. */
  client: object;
  /** A client that hears nothing for longer connects again. */
  pingEveryMs: number | undefined;
}

/** Messages as server-sent events with the names that tRPC's clients know: one chunk for each. */
export function createEventStream({
  messages,
  describeError,
  client,
  pingEveryMs,
}: EventStreamOptions): Readable {
  let isFull = false;
  let resume = () => {};
  const stream = new Readable({
    read() {
      isFull = false;
      resume();
    },
    destroy(error, done) {
      resume();
      done(error);
    },
  });
  const send = (text: string) => {
    if (!stream.destroyed) isFull = !stream.push(text);
  };
  const hasRoom = () =>
    isFull && !stream.destroyed ? new Promise<void>((resolve) => (resume = resolve)) : undefined;

  async function sendAll(): Promise<void> {
    send(toEvent("connected", JSON.stringify(client)));
    const pinging = setInterval(() => {
      if (!isFull) send(toEvent("ping", ""));
    }, pingEveryMs);
    try {
      for await (const message of messages) {
        send(`data: ${JSON.stringify(message)}\n\n\n`);
        pinging.refresh();
        await hasRoom();
        if (stream.destroyed) return;
      }
      send(toEvent("return", ""));
    } catch (cause) {
      const isAbort = cause instanceof Error && cause.name === "AbortError";
      if (!isAbort) send(toEvent("serialized-error", JSON.stringify(describeError(cause))));
    } finally {
      clearInterval(pinging);
      if (!stream.destroyed) stream.push(null);
    }
  }

  sendAll();
  return stream;
}

const toEvent = (name: string, data: string) => `event: ${name}\ndata: ${data}\n\n\n`;
