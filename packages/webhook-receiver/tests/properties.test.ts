import { createTestSecret, signedHeaders } from "@querybell/webhook-test-sender";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createReceiver as createNodeReceiver } from "../src/index.node.ts";
import { createReceiver as createWebReceiver } from "../src/index.web.ts";

const secret = createTestSecret();
const at = 1_772_366_400;

const ids = fc.stringMatching(/^[\w-]{1,40}$/);
const bodies = fc.uint8Array({ maxLength: 300 });

describe.each([
  ["Node", createNodeReceiver],
  ["Web Crypto", createWebReceiver],
])("the %s build", (_, createReceiver) => {
  const receiver = createReceiver({ secrets: secret, clock: () => at * 1000 });

  test("any body whatever round-trips, as bytes and through a Request", async () => {
    await fc.assert(
      fc.asyncProperty(ids, bodies, async (id, body) => {
        const headers = signedHeaders({ secret, id, body, timestamp: at });
        const request = new Request("http://localhost/", {
          method: "POST",
          headers,
          body: new Uint8Array(body),
        });
        for (const delivery of [await receiver.verify({ headers, body }), await receiver.verify(request)]) {
          expect(delivery.id).toBe(id);
          expect(new Uint8Array(delivery.body)).toEqual(new Uint8Array(body));
        }
      }),
    );
  });

  test("any text round-trips as its UTF-8", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "grapheme" }), async (body) => {
        const headers = signedHeaders({ secret, body, timestamp: at });
        expect(Buffer.from((await receiver.verify({ headers, body })).body).toString()).toBe(body);
      }),
    );
  });

  test("a change of any byte of id, timestamp, body or signature is refused", async () => {
    const parts = ["svc-webhook-id", "svc-webhook-timestamp", "svc-webhook-signature", "body"] as const;
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          id: ids,
          body: bodies.filter((bytes) => bytes.length > 0),
          part: fc.constantFrom(...parts),
        }),
        fc.nat(),
        fc.integer({ min: 1, max: 255 }),
        async ({ id, body, part }, at_, flip) => {
          const headers = signedHeaders({ secret, id, body, timestamp: at });
          const bytes = part === "body" ? Buffer.from(body) : Buffer.from(headers[part], "latin1");
          const index = at_ % bytes.length;
          bytes[index] = (bytes[index] ?? 0) ^ flip;
          const changed =
            part === "body"
              ? { headers, body: bytes }
              : { headers: { ...headers, [part]: bytes.toString("latin1") }, body };
          await expect(receiver.verify(changed)).rejects.toMatchObject({ name: "WebhookError" });
        },
      ),
      { numRuns: 500 },
    );
  });

  test("bytes moved across the borders of id, timestamp and body are refused", async () => {
    await fc.assert(
      fc.asyncProperty(ids, fc.integer({ min: 1, max: at }), async (id, number) => {
        const body = `${at}.rest`;
        const headers = signedHeaders({ secret, id, body, timestamp: number });
        const moved = {
          ...headers,
          "svc-webhook-id": `${id}.${number}`,
          "svc-webhook-timestamp": String(at),
        };
        await expect(receiver.verify({ headers: moved, body: "rest" })).rejects.toMatchObject({
          code: "malformed_id",
        });
      }),
    );
  });

  test("a signature cut short or made longer is refused", async () => {
    const headers = signedHeaders({ secret, body: "body", timestamp: at });
    const whole = headers["svc-webhook-signature"];
    for (let length = 0; length <= whole.length + 2; length++) {
      if (length === whole.length) continue;
      const signature = whole.padEnd(length, "0").slice(0, length);
      const changed = { ...headers, "svc-webhook-signature": signature };
      await expect(receiver.verify({ headers: changed, body: "body" })).rejects.toMatchObject({
        code: "malformed_signature",
      });
    }
  });
});
