import { completedEvent, createTestSecret, now, signedHeaders } from "@querybell/webhook-test-sender";
import fc from "fast-check";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createReceiver } from "../src/index.node.ts";
import { createReceiver as createWebReceiver } from "../src/index.web.ts";

const secret = createTestSecret();
const event = completedEvent();
const sent = JSON.stringify(event);

type Changes = { sent?: string; received?: string | Uint8Array; timestamp?: number; signer?: string };

async function hintFor(changes: Changes, options: Partial<Parameters<typeof createReceiver>[0]> = {}) {
  const { timestamp = now(), signer = secret } = changes;
  const original = changes.sent ?? sent;
  const headers = signedHeaders({ secret: signer, body: original, timestamp });
  const request = { headers, body: changes.received ?? original };
  const hints = [createReceiver, createWebReceiver].map((create) =>
    create({ secrets: secret, ...options })
      .verify(request)
      .then(
        () => "accepted",
        (error) => error.hint,
      ),
  );
  const [node, web] = await Promise.all(hints);
  expect(node).toBe(web);
  return node;
}

const reordered = JSON.stringify({
  type: event.type,
  data: event.data,
  id: event.id,
  createdAt: event.createdAt,
});
const ascii = JSON.stringify(event).replace(
  /[^\0-\x7f]/g,
  (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
);

describe("after a mismatch the hint names the cause", () => {
  test.each<[string, Changes, RegExp]>([
    ["indentation", { received: JSON.stringify(event, null, 2) }, /parsed and serialized again/],
    ["escaped characters", { received: ascii }, /parsed and serialized again/],
    ["another order of the fields", { received: reordered }, /serialized again, in another order/],
    ["a byte-order mark", { received: `\ufeff${sent}` }, /byte-order mark was added/],
    [
      "a byte-order mark taken away",
      { sent: `\ufeff${sent}`, received: sent },
      /byte-order mark was removed/,
    ],
    ["a newline", { received: `${sent}\n` }, /newline or white space was added/],
    ["a newline taken away", { sent: `${sent}\n`, received: sent }, /last newline was removed/],
    ["Latin-1", { received: Buffer.from(sent).toString("latin1") }, /decoded as Latin-1/],
    [
      "Latin-1 bytes in place of UTF-8",
      { sent: '{"a":"Café"}', received: Buffer.from('{"a":"Café"}', "latin1") },
      /encoded again, as Latin-1/,
    ],
    ["bytes that are no text", { received: Buffer.of(0x1f, 0x8b, 0xff) }, /^The body is not UTF-8/],
    ["an empty body", { received: "" }, /empty: something has read it/],
    ["an object as text", { received: "[object Object]" }, /object turned into a string/],
    ["replacement characters", { received: sent.replace("€", "\ufffd") }, /decoded as text/],
    ["another secret", { signer: createTestSecret() }, /another endpoint's.*tried: secret-1/],
  ])("%s", async (_, changes, cause) => {
    expect(await hintFor(changes)).toMatch(cause);
  });

  test("the secret's text as the key", async () => {
    const signer = `whsec_${Buffer.from(secret).toString("base64")}`;
    expect(await hintFor({ signer })).toMatch(/The key was the text of "secret-1"/);
  });

  test("an expired secret, by its label", async () => {
    const secrets = [createTestSecret(), { secret, label: "before March", expiresAt: new Date(0) }];
    expect(await hintFor({}, { secrets })).toMatch(/signed with "before March", which has expired/);
  });
});

describe("after a bad timestamp the hint tells a wrong clock from a wrong sender", () => {
  test.each<[string, Changes, RegExp]>([
    ["too old and genuine", { timestamp: now() - 4000 }, /genuine.*clock is ahead/],
    ["in the future and genuine", { timestamp: now() + 4000 }, /genuine.*clock is behind/],
    ["too old and forged", { timestamp: now() - 4000, signer: createTestSecret() }, /does not match either/],
  ])("%s", async (_, changes, cause) => {
    expect(await hintFor(changes)).toMatch(cause);
  });

  test("in milliseconds", async () => {
    const headers = signedHeaders({ secret, body: sent, timestamp: Date.now() });
    await expect(createReceiver({ secrets: secret }).verify({ headers, body: sent })).rejects.toMatchObject({
      hint: expect.stringContaining("milliseconds"),
    });
  });
});

describe("a large body", () => {
  const data = { ...event.data, summary: "€".repeat(5_000) };
  const large = { id: event.id, type: event.type, createdAt: event.createdAt, data };
  const sent = JSON.stringify(large);

  test.each<[string, string, RegExp]>([
    ["a newline", `${sent}\n`, /newline or white space was added/],
    ["indentation", JSON.stringify(large, null, 2), /parsed and serialized again/],
    [
      "another order",
      JSON.stringify({ type: event.type, data, id: event.id, createdAt: event.createdAt }),
      /serialized again, in another order/,
    ],
  ])("is diagnosed as well: %s", async (_, received, cause) => {
    expect(await hintFor({ sent, received })).toMatch(cause);
  });

  test("is not diagnosed over 16 KiB, so that refusing it stays cheap, and the hint says so", async () => {
    const sent = "x".repeat(16 * 1024);
    expect(await hintFor({ sent: sent.slice(1), received: `${sent.slice(1)}\n` })).toMatch(/newline/);
    expect(await hintFor({ sent, received: `${sent}\n` })).toMatch(/over 16 KiB.*not looked for.*explain/);
  });

  test("over 16 KiB that is genuine still tells a wrong clock", async () => {
    const sent = "x".repeat(16 * 1024 + 1);
    expect(await hintFor({ sent, timestamp: now() - 4000 })).toMatch(/genuine.*clock is ahead/);
  });
});

test.each([Number.NaN, Number.POSITIVE_INFINITY, JSON.parse('"noon"')])(
  "a clock that answers %s is itself named as the fault",
  async (time) => {
    const headers = signedHeaders({ secret, body: sent });
    const verdict = createReceiver({ secrets: secret, clock: () => time }).verify({ headers, body: sent });
    await expect(verdict).rejects.toMatchObject({
      message: "The clock of this receiver answers no finite number.",
      hint: expect.stringContaining(`clock answered ${time}: `),
    });
  },
);

test("an expiresAt that is no time is not mistaken for a damaged secret", () => {
  const secrets = { secret, expiresAt: new Date("soon") };
  expect(() => createReceiver({ secrets })).toThrow(
    expect.objectContaining({ hint: expect.stringMatching(/Date/) }),
  );
});

test.each([
  ["brackets", "[".repeat(1000) + "]".repeat(1000)],
  ["brackets beside strings of them", `${`["]",`.repeat(1000)}0${"]".repeat(1000)}`],
])("a body of %s is not serialized again, which would take long", async (_, sent) => {
  expect(await hintFor({ sent, received: sent.replace("[", "[ ") })).toMatch(/^No usual change/);
});

test("no diagnosis tells a secret or throws, whatever the body", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(fc.string({ unit: "binary" }), fc.json(), fc.uint8Array()),
      async (received) => {
        const hint = await hintFor({ received });
        expect(hint).toEqual(expect.any(String));
        expect(hint).not.toContain(secret.slice(6, 16));
      },
    ),
  );
});

test("the cause is not looked for where diagnosis is off", async () => {
  const headers = signedHeaders({ secret, body: sent });
  const receiver = createReceiver({ secrets: secret, diagnosis: false });
  await expect(receiver.verify({ headers, body: `${sent}\n` })).rejects.toMatchObject({
    code: "signature_mismatch",
    hint: expect.stringMatching(/as they came/),
  });
});

test("a diagnosis that cannot be loaded does not hide what it was to explain", async () => {
  const module = "../src/lib/diagnose.ts";
  vi.doMock(module, () => {
    throw new Error("Cannot find module");
  });
  onTestFinished(() => vi.doUnmock(module));
  const headers = signedHeaders({ secret, body: "one" });
  for (const create of [createReceiver, createWebReceiver]) {
    const verdict = create({ secrets: secret }).verify({ headers, body: "two" });
    await expect(verdict).rejects.toMatchObject({ code: "signature_mismatch" });
  }
});
