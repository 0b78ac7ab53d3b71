import { describe, expect } from "vitest";
import { answer } from "../testing/delivery-tools.ts";
import { pumpTest } from "../testing/pump-test.ts";

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
