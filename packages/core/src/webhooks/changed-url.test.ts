import { expect } from "vitest";
import { answer, deliveryTest } from "../testing/delivery-test.ts";
import { getDelivery, updateEndpoint } from "./index.ts";

deliveryTest(
  "a changed URL applies to deliveries that are pending already",
  async ({ hooks, deps, clock }) => {
    const owner = await hooks.owner();
    const [old, moved] = [await hooks.receiver(answer(500)), await hooks.receiver(answer(200))];
    const { id } = await hooks.endpoint(owner, old.url);
    const pump = await hooks.pump();
    await hooks.emit(owner);
    await pump.drain();
    await updateEndpoint(deps, owner, { id, url: `${moved.url}/%2e%2e/new` });
    await clock.advance(33_000);
    await pump.drain();
    expect([old.requests.length, moved.requests.length]).toEqual([1, 1]);
    const [delivery] = await hooks.deliveries({ endpointId: id });
    const { attempts } = await getDelivery(deps, owner, { id: delivery?.id ?? "" });
    expect(attempts.map(({ url }) => url)).toEqual([old.url, new URL("/new", moved.url).href]);
    expect(moved.requests[0]?.path).toBe("/new");
  },
);
