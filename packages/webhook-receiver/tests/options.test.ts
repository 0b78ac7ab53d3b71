import { createTestSecret } from "@querybell/webhook-test-sender";
import { describe, expect, test } from "vitest";
import * as express from "../src/express.ts";
import * as fastify from "../src/fastify.ts";
import * as hono from "../src/hono.ts";
import { createReceiver } from "../src/index.node.ts";
import { memoryDedupe } from "../src/memory.ts";
import * as next from "../src/next.ts";
import * as node from "../src/node.ts";
import { postgresDedupe } from "../src/postgres.ts";
import { redisDedupe } from "../src/redis.ts";

const secrets = createTestSecret();

/** Calls without types, as a program in JavaScript does. */
const call = (target: (...args: never[]) => unknown, ...args: unknown[]) =>
  Reflect.apply(target, undefined, args);

test.for<[says: RegExp, options: unknown]>([
  [/^The options of createReceiver must be an object\.$/, undefined],
  [/^The options of createReceiver must be an object\.$/, secrets],
  [
    /^createReceiver has no option tolerance\. Its options: secrets, toleranceSeconds/,
    { secrets, tolerance: 5 },
  ],
  [/^toleranceSeconds must be a number from 0 up\.$/, { secrets, toleranceSeconds: "300" }],
  [/^maxBodyBytes must be a number from 0 up\.$/, { secrets, maxBodyBytes: null }],
  [/^clock must be a function\.$/, { secrets, clock: 5 }],
  [
    /^dedupe must be an object with the functions claim, commit, release\.$/,
    { secrets, dedupe: memoryDedupe },
  ],
  [/^diagnosis must be true or false\.$/, { secrets, diagnosis: "no" }],
  [/^endpoint must be 1 to 64 letters/, { secrets, endpoint: 5 }],
  [/^endpoint must be 1 to 64 letters/, { secrets, endpoint: null }],
])("createReceiver says %s", ([says, options]) => {
  expect(() => call(createReceiver, options)).toThrow(says);
});

test("an option that is undefined counts as left out", () => {
  const options = { secrets, clock: undefined, dedupe: undefined, endpoint: undefined, diagnosis: undefined };
  expect(() => call(createReceiver, options)).not.toThrow();
});

test.for<[says: RegExp, store: (...args: never[]) => unknown, ...args: unknown[]]>([
  [/^memoryDedupe has no option keep\./, memoryDedupe, { keep: 5 }],
  [/^clock must be a function\.$/, memoryDedupe, { clock: 5 }],
  [/^postgresDedupe needs a Postgres client/, postgresDedupe, "postgresql://localhost"],
  [/^table must be a string\.$/, postgresDedupe, { query: () => {} }, { table: 5 }],
  [/^redisDedupe needs a function/, redisDedupe, {}],
  [/^prefix must be a string\.$/, redisDedupe, () => {}, { prefix: 5 }],
])("a store says %s", ([says, store, ...args]) => {
  expect(() => call(store, ...args)).toThrow(says);
});

describe.each([
  ["express", express.webhook],
  ["fastify", fastify.webhook],
  ["hono", hono.webhook],
  ["next", next.webhook],
  ["node", node.webhook],
])("the adapter for %s", (_, webhook) => {
  const receiver = createReceiver({ secrets });
  const handler = () => {};

  test.for<[says: RegExp, ...args: unknown[]]>([
    [/^The first argument of webhook must be a receiver/, { secrets }, handler],
    [/^The second argument of webhook must be the handler/, receiver, undefined],
    [/^webhook has no option anwser\. Its options: answer/, receiver, handler, { anwser: "before-handler" }],
    [/^answer must be "after-handler" or "before-handler"\.$/, receiver, handler, { answer: "before" }],
    [/^onRefused must be a function\.$/, receiver, handler, { onRefused: true }],
  ])("says %s", ([says, ...args]) => {
    expect(() => call(webhook, ...args)).toThrow(says);
  });
});
