import type { Case, Step } from "./case.ts";
import { delivery } from "./request.ts";

const handled = { status: 200, code: "handled" };

const handlerFails: Pick<Step, "expect" | "differs"> = {
  expect: { status: 500 },
  differs: {
    trait: "node-listener",
    expect: { status: 500, code: "handler_failed" },
    because: "Plain Node has no error handling, so the kit answers.",
  },
};

/** Cases with several requests, another receiver, or a handler that fails. */
export const repeatedCases: Case[] = [
  {
    name: "a replay while its timestamp is fresh",
    variant: "deduplicating",
    steps: [
      { send: delivery(), expect: handled },
      { send: delivery(), expect: { status: 200, code: "duplicate" } },
    ],
  },
  {
    name: "a retry while the first attempt is handled",
    variant: "deduplicating",
    steps: [
      { send: delivery({ action: "wait" }), expect: handled, inBackground: true },
      { send: delivery({ action: "wait" }), expect: { status: 409, code: "in_progress" } },
      { send: delivery({ action: "release" }), expect: handled },
    ],
  },
  {
    name: "a retry after the handler failed",
    variant: "deduplicating",
    steps: [
      { send: delivery({ action: "fail" }), ...handlerFails },
      { send: delivery({ action: "fail" }), expect: handled },
    ],
  },
  {
    name: "a genuine body that is no event, read by the handler",
    steps: [{ send: delivery({ action: "read", body: "{}" }), ...handlerFails }],
  },
  {
    name: "the new secret, while it is being changed",
    variant: "rotating",
    steps: [{ send: delivery({ secret: "newSecret" }), expect: handled }],
  },
  {
    name: "the old secret, while it is being changed",
    variant: "rotating",
    steps: [{ send: delivery(), expect: handled }],
  },
  {
    name: "the old secret, after the overlap",
    variant: "rotated",
    steps: [{ send: delivery(), expect: { status: 400, code: "signature_mismatch" } }],
  },
];
