import { createHmac } from "node:crypto";
import { maxWebhookAttempts } from "@querybell/domain";
import { describe, expect } from "vitest";
import { answer } from "../testing/delivery-tools.ts";
import { pumpTest } from "../testing/pump-test.ts";

/** What a customer would write from the documentation alone. */
function verify(secret: string, headers: Record<string, unknown>, body: Buffer): boolean {
  const key = Buffer.from(secret.slice("whsec_".length), "base64");
  const content = `${headers["svc-webhook-id"]}.${headers["svc-webhook-timestamp"]}.`;
  const digest = createHmac("sha256", key)
    .update(Buffer.concat([Buffer.from(content), body]))
    .digest("hex");
  return headers["svc-webhook-signature"] === `v1=${digest}`;
}

const waits = [30, 120, 480, 1_920, 7_200, 30_600, 86_400];

describe("a delivery that always fails", () => {
  pumpTest("is attempted eight times at the decided times, then never again", async ({ hooks, clock }) => {
    const owner = await hooks.owner();
    const receiver = await hooks.receiver(answer(500));
    const { id: endpointId, secret } = await hooks.endpoint(owner, receiver.url);
    const pump = await hooks.pump();
    const eventId = await hooks.emit(owner);
    await pump.drain();
    expect(receiver.requests).toHaveLength(1);

    for (const [index, seconds] of waits.entries()) {
      await clock.advance(seconds * 1000 - 1);
      await pump.drain();
      expect(receiver.requests, `just before the wait after attempt ${index + 1} is over`).toHaveLength(
        index + 1,
      );
      await clock.advance(1);
      await pump.drain();
      expect(receiver.requests).toHaveLength(index + 2);
    }
    await clock.advance(7 * 86_400_000);
    await pump.drain();
    expect(receiver.requests).toHaveLength(maxWebhookAttempts);

    const [first] = receiver.requests;
    for (const { headers, body } of receiver.requests) {
      expect(headers["svc-webhook-id"]).toBe(eventId);
      expect(body).toEqual(first?.body);
      expect(verify(secret.secret, headers, body)).toBe(true);
    }
    expect(new Set(receiver.requests.map(({ headers }) => headers["svc-webhook-timestamp"])).size).toBe(8);
    expect(new Set(receiver.requests.map(({ headers }) => headers["svc-webhook-signature"])).size).toBe(8);

    const [delivery] = await hooks.deliveries({ endpointId });
    expect(delivery).toMatchObject({ state: "exhausted", attemptCount: 8 });
    expect(delivery?.attempts.map(({ number, outcome, status }) => [number, outcome, status])).toEqual(
      Array.from({ length: 8 }, (_, index) => [index + 1, "status_500", 500]),
    );
  });

  pumpTest("waits up to a tenth longer by chance", async ({ hooks, clock }) => {
    const owner = await hooks.owner();
    const receiver = await hooks.receiver(answer(503));
    await hooks.endpoint(owner, receiver.url);
    const pump = await hooks.pump({ random: () => 0.999 });
    await hooks.emit(owner);
    await pump.drain();
    await clock.advance(32_900);
    await pump.drain();
    expect(receiver.requests).toHaveLength(1);
    await clock.advance(100);
    await pump.drain();
    expect(receiver.requests).toHaveLength(2);
  });
});
