import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createReceiver as createNodeReceiver } from "../src/index.node.ts";
import { createReceiver as createWebReceiver } from "../src/index.web.ts";
import vectors from "../vectors.json" with { type: "json" };
import { checkDelivery, hmacHex } from "./plain-receiver.ts";

interface Vector {
  name: string;
  expect: string;
  secrets?: string[];
  headers: Readonly<Record<string, string | string[] | undefined>>;
  bodyBase64: string;
  signedBase64: string;
}

const { secret, now, toleranceSeconds } = vectors;
const cases: Vector[] = vectors.cases;

test("the plain receiver's HMAC is that of RFC 4231, case 2", () => {
  expect(hmacHex(Buffer.from("Jefe"), Buffer.from("what do ya want for nothing?"))).toBe(
    "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
  );
});

describe.each(cases)("$name", ({ headers, bodyBase64, secrets = [secret], expect: expected }) => {
  const body = Buffer.from(bodyBase64, "base64");

  test("is judged as promised by a receiver that shares no code with the kit", () => {
    expect(checkDelivery({ headers, body }, secrets, now)).toBe(expected);
  });

  const options = { secrets, toleranceSeconds, clock: () => now * 1000 };

  test.each([
    ["verify of the Node build", () => createNodeReceiver(options).verify({ headers, body })],
    ["verifySync of the Node build", async () => createNodeReceiver(options).verifySync({ headers, body })],
    ["verify of the Web Crypto build", () => createWebReceiver(options).verify({ headers, body })],
  ])("is judged as promised by %s", async (_, verify) => {
    const verdict = verify();
    if (expected === "ok") await expect(verdict).resolves.toMatchObject({ id: headers["svc-webhook-id"] });
    else await expect(verdict).rejects.toMatchObject({ code: expected });
  });
});

const accepted = cases.filter(({ expect }) => expect === "ok");

test.each(accepted)(
  "$name: the signed content is its id, timestamp and body",
  ({ headers, bodyBase64, signedBase64 }) => {
    const prefix = `${headers["svc-webhook-id"]}.${headers["svc-webhook-timestamp"]}.`;
    const content = Buffer.concat([Buffer.from(prefix), Buffer.from(bodyBase64, "base64")]);
    expect(signedBase64).toBe(content.toString("base64"));
  },
);

test("the sample in docs/webhooks.md judges every vector as promised", async () => {
  const docs = await readFile(join(import.meta.dirname, "../../../docs/webhooks.md"), "utf8");
  const [, sample = ""] = /^```js\n(.*?)^```/ms.exec(docs) ?? [];
  const { verify } = await import(
    `data:text/javascript,${encodeURIComponent(`${sample}export { verify };`)}`
  );
  for (const { name, headers, bodyBase64, secrets = [secret], expect: expected } of cases) {
    // As `headersDistinct` of Node has them: a list of values for each name.
    const distinct = Object.entries(headers).map(([header, value]) => [header, [value].flat()]);
    const isGenuine = verify(secrets, Object.fromEntries(distinct), Buffer.from(bodyBase64, "base64"), now);
    expect([name, isGenuine]).toEqual([name, expected === "ok"]);
  }
});
