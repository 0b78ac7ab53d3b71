import { createServer } from "node:http";
import { signedHeaders } from "@querybell/webhook-test-sender";
import { describe, expect, test } from "vitest";
import { createReceiver, type Delivery } from "../src/index.node.ts";
import { memoryDedupe } from "../src/memory.ts";
import { webhook } from "../src/next.ts";
import { webhook as nodeWebhook } from "../src/node.ts";
import { createFakeSender, createSecret, sampleEvent, signRequest } from "../src/testing.ts";

function underTest() {
  const secret = createSecret();
  const nextSecret = createSecret();
  const handled: Delivery[] = [];
  const receiver = createReceiver({
    secrets: [secret, { secret: nextSecret, label: "next" }],
    dedupe: memoryDedupe(),
  });
  const target = webhook(receiver, (delivery) => void handled.push(delivery), { onRefused: () => {} });
  return { secret, nextSecret, handled, receiver, sender: createFakeSender({ target, secret }) };
}

const answer = async (response: Response) => [response.status, Object(await response.json()).code];

describe("the fake sender", () => {
  test("sends genuine events of every kind", async () => {
    const { sender, handled } = underTest();
    expect(await answer(await sender.send())).toEqual([200, "handled"]);
    expect(await answer(await sender.send(sampleEvent("automation.run.failed")))).toEqual([200, "handled"]);
    expect(await answer(await sender.sendUnknown())).toEqual([200, "handled"]);
    expect(handled.map((delivery) => delivery.event().known)).toEqual([true, true, false]);
  });

  test("sends duplicates one after the other, and at once", async () => {
    const { sender, handled } = underTest();
    const codes = await Promise.all((await sender.sendDuplicates(3)).map(answer));
    expect(codes).toEqual([
      [200, "handled"],
      [200, "duplicate"],
      [200, "duplicate"],
    ]);
    const atOnce = await Promise.all((await sender.sendAtOnce(3)).map(answer));
    expect(atOnce.filter(([, code]) => code === "handled")).toHaveLength(1);
    expect(handled).toHaveLength(2);
  });

  test("sends what must be refused", async () => {
    const { sender, handled } = underTest();
    expect(await answer(await sender.sendStale())).toEqual([400, "timestamp_too_old"]);
    expect(await answer(await sender.sendEarly())).toEqual([400, "timestamp_in_future"]);
    expect(await answer(await sender.sendTampered())).toEqual([400, "signature_mismatch"]);
    expect(await answer(await sender.sendRotated())).toEqual([400, "signature_mismatch"]);
    expect(handled).toEqual([]);
  });

  test("signs with the next secret when rotating", async () => {
    const { sender, nextSecret, handled } = underTest();
    expect(await answer(await sender.sendRotated(nextSecret))).toEqual([200, "handled"]);
    expect(handled[0]?.secretLabel).toBe("next");
  });

  test("goes by the clock it is given", async () => {
    const secret = createSecret();
    const clock = () => Date.UTC(2031, 0, 1);
    const target = webhook(createReceiver({ secrets: secret, clock }), () => {});
    expect((await createFakeSender({ target, secret, clock }).send()).status).toBe(200);
  });

  test.each([
    [undefined, "http://localhost/"],
    ["https://app.example/webhooks?tenant=1", "https://app.example/webhooks?tenant=1"],
  ])("given the url %s, a function is asked at %s", async (url, asked) => {
    const seen: string[] = [];
    const target = (request: Request) => {
      seen.push(request.url);
      return new Response();
    };
    await createFakeSender({ target, secret: createSecret(), ...(url && { url }) }).send();
    expect(seen).toEqual([asked]);
  });

  test("sends to the address of a server", async () => {
    const { receiver, secret } = underTest();
    await using server = createServer(nodeWebhook(receiver, () => {})).listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    const { port } = Object(server.address());
    const address = `http://127.0.0.1:${port}/`;
    for (const target of [address, new URL(address)])
      expect((await createFakeSender({ target, secret }).send()).status).toBe(200);
  });
});

describe("a signed request", () => {
  test("is signed as the service signs", async () => {
    const secret = createSecret();
    for (const payload of ["text", new Uint8Array([255, 0]), "€"]) {
      const { headers, body } = await signRequest({ secret, payload, id: "a", timestamp: 1_772_366_400 });
      expect(headers).toEqual(signedHeaders({ secret, body, id: "a", timestamp: 1_772_366_400 }));
    }
  });

  test("carries the event's own id", async () => {
    const event = sampleEvent();
    const { headers } = await signRequest({ secret: createSecret(), payload: event });
    expect(headers["svc-webhook-id"]).toBe(event.id);
  });

  test("is not made with a damaged secret", async () => {
    await expect(signRequest({ secret: "whsec_x", payload: "" })).rejects.toMatchObject({
      code: "malformed_secret",
    });
  });
});
