import { gzipSync } from "node:zlib";
import type { Case } from "./case.ts";
import { type Changes, delivery } from "./request.ts";

const mebibyte = 1024 * 1024;

/** A case with one request, which is refused with this code. */
const refused = (code: string, changes: Changes, status = 400): Case["steps"] => [
  { send: delivery(changes), expect: { status, code } },
];

const header = (name: string, change: (value: string) => string | string[] | undefined): Changes => ({
  headers: (signed) => ({ [name]: change(signed[name] ?? "") }),
});

/** Requests that are not genuine, too old, or no deliveries. */
export const refusedCases: Case[] = [
  {
    name: "a tampered body",
    steps: refused("signature_mismatch", {
      sentBody: (signed) => Buffer.from(signed.toString().replace("18,204", "98,204")),
    }),
  },
  {
    name: "a body that was parsed and serialized again",
    steps: refused("signature_mismatch", {
      body: '{ "a": 1 }',
      sentBody: (signed) => Buffer.from(JSON.stringify(JSON.parse(signed.toString()))),
    }),
  },
  {
    name: "gzip, signed before it was compressed",
    steps: refused("signature_mismatch", {
      sentBody: (signed) => gzipSync(signed),
      headers: () => ({ "content-encoding": "gzip" }),
    }),
  },
  {
    name: "a tampered id",
    steps: refused(
      "signature_mismatch",
      header("svc-webhook-id", (id) => `${id}x`),
    ),
  },
  {
    name: "a tampered timestamp",
    steps: refused(
      "signature_mismatch",
      header("svc-webhook-timestamp", (time) => String(Number(time) + 1)),
    ),
  },
  { name: "another endpoint's secret", steps: refused("signature_mismatch", { secret: "unknown" }) },
  { name: "stale, 310 seconds old", steps: refused("timestamp_too_old", { seconds: -310 }) },
  { name: "replayed after a day", steps: refused("timestamp_too_old", { seconds: -86_400 }) },
  { name: "310 seconds in the future", steps: refused("timestamp_in_future", { seconds: 310 }) },
  {
    name: "none of the headers",
    steps: refused("missing_header", {
      headers: (signed) => Object.fromEntries(Object.keys(signed).map((name) => [name, undefined])),
    }),
  },
  {
    name: "no signature",
    steps: refused(
      "missing_header",
      header("svc-webhook-signature", () => undefined),
    ),
  },
  {
    name: "the id twice",
    steps: refused(
      "duplicate_header",
      header("svc-webhook-id", (id) => [id, id]),
    ),
  },
  {
    name: "the timestamp twice",
    steps: refused(
      "duplicate_header",
      header("svc-webhook-timestamp", (time) => [time, time]),
    ),
  },
  {
    name: "the signature twice",
    steps: [
      {
        send: delivery(header("svc-webhook-signature", (signature) => [signature, signature])),
        expect: { status: 400, code: "duplicate_header" },
        differs: {
          trait: "fetch",
          expect: { status: 200, code: "handled" },
          because: "A Fetch Headers joins them with a comma, as one header with several signatures has them.",
        },
      },
    ],
  },
  { name: "an id with a dot", steps: refused("malformed_id", { id: "event.1" }) },
  {
    name: "a timestamp with a fraction",
    steps: refused(
      "malformed_timestamp",
      header("svc-webhook-timestamp", (time) => `${time}.0`),
    ),
  },
  {
    name: "a signature in upper case",
    steps: refused(
      "malformed_signature",
      header("svc-webhook-signature", () => `v1=${"AB".repeat(32)}`),
    ),
  },
  {
    name: "a byte over 1 MiB",
    steps: refused("body_too_large", { body: Buffer.alloc(mebibyte + 1, "x") }, 413),
  },
  {
    name: "a body over 1 MiB that never ends",
    without: {
      trait: "whole-bodies",
      because: "The platform waits for the body's end, and has its own limit.",
    },
    steps: refused("body_too_large", { body: Buffer.alloc(mebibyte + 1, "x"), framing: "endless" }, 413),
  },
];
