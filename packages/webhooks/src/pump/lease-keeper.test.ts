import { describe, expect } from "vitest";
import { createRecipient } from "../send/recipient.ts";
import { answer } from "../testing/delivery-tools.ts";
import { pumpTest } from "../testing/pump-test.ts";
import { HeldEndpoint } from "./held-endpoint.ts";
import { createLeaseKeeper } from "./lease-keeper.ts";

describe("an endpoint whose settings cannot be unsealed", () => {
  pumpTest("keeps its deliveries pending, and does not delay other endpoints", async ({ hooks }) => {
    const [owner, other] = [await hooks.owner(), await hooks.owner()];
    const receiver = await hooks.receiver(answer(200));
    const unreadable = await hooks.endpoint(owner, receiver.url);
    const readable = await hooks.endpoint(other, receiver.url);
    const errors: unknown[] = [];
    const pump = await hooks.pump({ onError: (error) => errors.push(error) });
    await hooks.emit(owner);
    await pump.drain();
    await hooks.updateEndpoint(unreadable.id, { sealedHeaders: "sealed with a key that is gone" });
    await hooks.emit(owner);
    await hooks.emit(other);
    await pump.drain();
    await pump.stop();
    expect(await hooks.states(readable.id)).toEqual(["succeeded"]);
    expect((await hooks.states(unreadable.id)).sort()).toEqual(["pending", "succeeded"]);
    expect(errors).not.toEqual([]);
  });
});

pumpTest("endpoints that were healthy are acquired before others", ({ hooks, db, clock }) => {
  const ids = Array.from({ length: 50 }, (_, index) => `endpoint ${index}`);
  const healthy = ids.slice(40);
  const held = new Map<string, HeldEndpoint>();
  const settings = {
    address: undefined,
    ...createRecipient(
      { url: "http://127.0.0.1:9/", headers: {}, standardWebhooks: false, sendsTraceparent: false },
      hooks.guard,
    ),
  };
  for (const id of healthy)
    held.set(
      id,
      new HeldEndpoint(
        {
          ...settings,
          ...{
            id,
            revision: 0,
            isActive: true,
            maxInFlight: 1,
            maxPerSecond: null,
            expiresAt: null,
            secrets: [],
          },
        },
        { clock, lane: "healthy" },
      ),
    );
  const endpoints = createLeaseKeeper({
    ...hooks,
    ...db,
    clock,
    pumpId: "",
    held,
    onError: console.error,
    dispatcher: { applySettings: () => {} },
  });
  const next = endpoints.chooseNext(new Set(ids));
  expect(next).toEqual([...healthy, ...ids.slice(0, 6)]);
});
