import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import { createEventStream } from "./subscription-call.ts";

const defaults = { describeError: String, client: {}, pingEveryMs: 60_000 };

async function* repeated(message: string, count: number, onTaken: () => void) {
  for (let index = 0; index < count; index++) {
    onTaken();
    yield message;
  }
}

test("a client that does not read is not sent more", async () => {
  let taken = 0;
  const messages = repeated("x".repeat(100_000), 20, () => taken++);
  const stream = createEventStream({ ...defaults, messages });
  for (let turns = 0; turns < 10; turns++) await turn();
  expect(taken).toBe(1);
  let text = "";
  for await (const chunk of stream) text += chunk;
  expect(taken).toBe(20);
  expect(text.match(/^data: "x/gm)).toHaveLength(20);
  expect(text).toMatch(/event: return\ndata: \n\n\n$/);
});

test("a client that leaves while it does not read ends the messages", async () => {
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  async function* messages() {
    try {
      yield* repeated("x".repeat(100_000), 20, () => {});
    } finally {
      resolve();
    }
  }
  const stream = createEventStream({ ...defaults, messages: messages() });
  await turn();
  stream.destroy();
  await ended;
});

test("a client that is sent nothing for long is pinged", async () => {
  const { promise: pinged, resolve } = Promise.withResolvers<void>();
  async function* messages() {
    await pinged;
    yield 1;
  }
  const stream = createEventStream({ ...defaults, messages: messages(), pingEveryMs: 1 });
  let text = "";
  for await (const chunk of stream) {
    text += chunk;
    if (text.includes("event: ping\ndata: \n\n\n")) resolve();
  }
  expect(text).toMatch(/^event: connected\ndata: \{\}\n\n\n(event: ping\ndata: \n\n\n)+data: 1\n\n\n/);
});
