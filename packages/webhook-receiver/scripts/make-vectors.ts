// Writes vectors.json: what a receiver in any language must accept and refuse.
import { createHmac } from "node:crypto";
import { writeFileSync } from "node:fs";

const key = Buffer.from(Array.from({ length: 32 }, (_, index) => index * 7 + 1));
const secret = `whsec_${key.toString("base64")}`;
const otherSecret = `whsec_${Buffer.alloc(32, 0xa5).toString("base64")}`;
const thirdSecret = `whsec_${Buffer.alloc(32, 0x5a).toString("base64")}`;
const now = 1_772_366_400;
const toleranceSeconds = 300;

const id = "01980000-0000-7000-8000-000000000042";
const event = JSON.stringify({
  id,
  type: "automation.run.completed",
  createdAt: "2026-03-01T12:00:00.000Z",
  data: {
    automationId: "01980000-0000-7000-8000-000000000001",
    runId: "01980000-0000-7000-8000-000000000002",
    summary: "Revenue rose by 4 % to € 18,204.",
    chatUrl: "https://querybell.example/chats/1",
    imageUrl: null,
  },
});

interface Case {
  name: string;
  expect: string;
  body?: Uint8Array | string;
  id?: string;
  timestamp?: number | string;
  /** What the headers and the body become after signing. */
  signature?: (signature: string) => string;
  receivedBody?: Uint8Array | string;
  receivedTimestamp?: string;
  receivedId?: string;
  /** How often each of these headers is received, where that is not once. */
  times?: { [name: string]: 0 | 2 };
  /** The receiver's secrets, where they are not the one of all cases. */
  secrets?: string[];
}

const zeros = "0".repeat(64);
const cases: Case[] = [
  { name: "a genuine event", expect: "ok" },
  { name: "an empty body", expect: "ok", body: "" },
  { name: "a body that is not UTF-8", expect: "ok", body: Uint8Array.of(0xff, 0xfe, 0x00, 0x80) },
  { name: "a body with dots and newlines", expect: "ok", body: "1.2.3\r\n.\n" },
  { name: "a body with a byte-order mark", expect: "ok", body: `\ufeff${event}` },
  { name: "the oldest accepted timestamp", expect: "ok", timestamp: now - toleranceSeconds },
  { name: "the latest accepted timestamp", expect: "ok", timestamp: now + toleranceSeconds },
  {
    name: "the second of two signatures matches",
    expect: "ok",
    signature: (right) => `v1=${zeros},${right}`,
  },
  { name: "an unknown scheme beside v1", expect: "ok", signature: (right) => `v2=abc, ${right}` },
  {
    name: "a malformed v1 beside the right one",
    expect: "malformed_signature",
    signature: (right) => `${right},v1=junk`,
  },
  { name: "one second too old", expect: "timestamp_too_old", timestamp: now - toleranceSeconds - 1 },
  { name: "one second too early", expect: "timestamp_in_future", timestamp: now + toleranceSeconds + 1 },
  { name: "a year ahead", expect: "timestamp_in_future", timestamp: now + 365 * 86_400 },
  { name: "a timestamp with junk after it", expect: "malformed_timestamp", timestamp: `${now}junk` },
  { name: "a timestamp with a fraction", expect: "malformed_timestamp", timestamp: `${now}.0` },
  { name: "a timestamp with a leading zero", expect: "malformed_timestamp", timestamp: `0${now}` },
  { name: "an id with a dot", expect: "malformed_id", id: "event.1" },
  {
    name: "one bit of the body changed",
    expect: "signature_mismatch",
    receivedBody: event.replace("4 %", "5 %"),
  },
  { name: "a newline added to the body", expect: "signature_mismatch", receivedBody: `${event}\n` },
  {
    name: "the body serialized again",
    expect: "signature_mismatch",
    receivedBody: JSON.stringify(JSON.parse(event), null, 1),
  },
  { name: "another id", expect: "signature_mismatch", receivedId: id.replace(/.$/, "3") },
  { name: "another timestamp", expect: "signature_mismatch", receivedTimestamp: String(now + 1) },
  {
    name: "one digit changed",
    expect: "signature_mismatch",
    signature: (right) => right.replace(/.$/, (d) => (d === "0" ? "1" : "0")),
  },
  {
    name: "upper-case digits",
    expect: "malformed_signature",
    signature: (right) => `v1=${right.slice(3).toUpperCase()}`,
  },
  { name: "one digit missing", expect: "malformed_signature", signature: (right) => right.slice(0, -1) },
  { name: "no scheme", expect: "malformed_signature", signature: (right) => right.slice(3) },
  {
    name: "an unknown scheme alone",
    expect: "malformed_signature",
    signature: (right) => right.replace("v1", "v2"),
  },
  {
    name: "another secret",
    expect: "signature_mismatch",
    signature: () => sign(otherSecret, signedBytes({})),
  },
  ...["svc-webhook-id", "svc-webhook-timestamp", "svc-webhook-signature"].flatMap((header): Case[] => [
    { name: `no ${header}`, expect: "missing_header", times: { [header]: 0 } },
    { name: `${header} twice`, expect: "duplicate_header", times: { [header]: 2 } },
  ]),
  { name: "the second of two secrets", expect: "ok", secrets: [otherSecret, secret] },
  { name: "none of two secrets", expect: "signature_mismatch", secrets: [otherSecret, thirdSecret] },
];

function signedBytes(of: Partial<Case>): Buffer {
  const { body = event, timestamp = now } = of;
  return Buffer.concat([Buffer.from(`${of.id ?? id}.${timestamp}.`), Buffer.from(body)]);
}

function sign(withSecret: string, content: Buffer): string {
  const hmac = createHmac("sha256", Buffer.from(withSecret.slice(6), "base64"));
  return `v1=${hmac.update(content).digest("hex")}`;
}

const vectors = cases.map((given) => {
  const content = signedBytes(given);
  const right = sign(secret, content);
  const headers = Object.entries({
    "svc-webhook-id": given.receivedId ?? given.id ?? id,
    "svc-webhook-timestamp": given.receivedTimestamp ?? String(given.timestamp ?? now),
    "svc-webhook-signature": given.signature?.(right) ?? right,
  });
  return {
    name: given.name,
    expect: given.expect,
    secrets: given.secrets,
    headers: Object.fromEntries(
      headers.flatMap(([name, value]) => {
        const times = given.times?.[name] ?? 1;
        return times === 0 ? [] : [[name, times === 1 ? value : [value, value]]];
      }),
    ),
    bodyBase64: Buffer.from(given.receivedBody ?? given.body ?? event).toString("base64"),
    signedBase64: content.toString("base64"),
  };
});

const about =
  "Every case is one request, received at the Unix time `now`. `expect` is ok, or the code of the first fault. " +
  "The receiver's secret is `secret`, or any of the case's own `secrets`. A header with a list is there that often. " +
  "`signedBase64` is the exact content that the sender signed: <id>.<timestamp>.<body>.";
const document = { about, secret, now, toleranceSeconds, cases: vectors };
writeFileSync(new URL("../vectors.json", import.meta.url), `${JSON.stringify(document, null, 2)}\n`);
