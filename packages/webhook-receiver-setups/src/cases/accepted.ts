import { gzipSync } from "node:zlib";
import { completedEvent } from "@querybell/webhook-test-sender";
import type { Case, Step } from "./case.ts";
import { type Changes, delivery } from "./request.ts";

const mebibyte = 1024 * 1024;

/** A case with one request, which the handler gets. */
const handled = (changes?: Changes): Case["steps"] => [
  { send: delivery(changes), expect: { status: 200, code: "handled" } },
];

const failedEvent = JSON.stringify({
  id: "event-failed",
  type: "automation.run.failed",
  createdAt: "2026-03-01T12:00:00.000Z",
  data: { automationId: "automation", runId: "run", reason: "The database was unreachable." },
});
const laterEvent = JSON.stringify({ ...completedEvent("event-later"), type: "automation.run.paused" });

const contentType = (type: string | undefined): Changes => ({ headers: () => ({ "content-type": type }) });

const standardHeaders: Step["send"] = (given) => {
  const request = delivery()(given);
  const value = (what: string) => request.headers.find(([name]) => name === `svc-webhook-${what}`)?.[1] ?? "";
  const digest = Buffer.from(value("signature").replace("v1=", ""), "hex");
  const headers: [string, string][] = [
    ["webhook-id", value("id")],
    ["webhook-timestamp", value("timestamp")],
    ["webhook-signature", `v1,${digest.toString("base64")}`],
  ];
  return { ...request, headers };
};

/** Genuine deliveries in every form in which they may arrive. */
export const acceptedCases: Case[] = [
  { name: "a completed run", steps: handled() },
  { name: "a failed run", steps: handled({ id: "event-failed", body: failedEvent }) },
  { name: "an event type of the future", steps: handled({ id: "event-later", body: laterEvent }) },
  { name: "290 seconds old", steps: handled({ seconds: -290 }) },
  { name: "290 seconds ahead", steps: handled({ seconds: 290 }) },
  {
    name: "header names in upper case",
    steps: handled({
      headers: (signed) => ({
        ...Object.fromEntries(Object.keys(signed).map((name) => [name, undefined])),
        ...Object.fromEntries(Object.entries(signed).map(([name, value]) => [name.toUpperCase(), value])),
      }),
    }),
  },
  {
    name: "several signatures, one right",
    steps: handled({
      headers: (signed) => ({
        "svc-webhook-signature": `v2=new, v1=${"0".repeat(64)} , ${signed["svc-webhook-signature"]}`,
      }),
    }),
  },
  {
    name: "the headers of Standard Webhooks alone",
    steps: [{ send: standardHeaders, expect: { status: 200, code: "handled" } }],
  },
  { name: "chunked", steps: handled({ framing: "chunked" }) },
  { name: "an empty body", steps: handled({ body: "" }) },
  { name: "no body and no length", steps: handled({ body: "", framing: "none" }) },
  {
    name: "bytes that are not UTF-8",
    steps: handled({ body: Uint8Array.from({ length: 256 }, (_, at) => at) }),
  },
  { name: "text that is not JSON", steps: handled({ body: '{"cut":' }) },
  {
    name: "gzip, signed as it is sent",
    steps: handled({ body: gzipSync('{"a":1}'), headers: () => ({ "content-encoding": "gzip" }) }),
  },
  { name: "the wrong content type", steps: handled(contentType("text/csv")) },
  { name: "an unknown charset", steps: handled(contentType("application/json; charset=klingon")) },
  { name: "no content type", steps: handled(contentType(undefined)) },
  { name: "1 MiB, the largest that is taken", steps: handled({ body: Buffer.alloc(mebibyte, "x") }) },
  { name: "1 MiB, chunked", steps: handled({ body: Buffer.alloc(mebibyte, "x"), framing: "chunked" }) },
  {
    name: "a target with the whole address",
    steps: [
      {
        send: delivery({ absoluteTarget: true }),
        expect: { status: 200, code: "handled" },
        differs: {
          trait: "next",
          expect: { status: 308 },
          because: "Next redirects every such request to the path, before it looks for a route.",
        },
      },
    ],
  },
  { name: "Expect: 100-continue", steps: handled({ headers: () => ({ expect: "100-continue" }) }) },
];
