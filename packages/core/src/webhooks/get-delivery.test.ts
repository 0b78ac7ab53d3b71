import { SearchWebhookDeliveries } from "@querybell/domain";
import { describe, expect } from "vitest";
import type { z } from "zod";
import { appError } from "../testing/app-error.ts";
import { deliveryTest } from "../testing/delivery-test.ts";
import {
  cancelRecovery,
  debugSignature,
  deleteEndpoint,
  disableEndpoint,
  enableEndpoint,
  getDelivery,
  getEndpoint,
  getRecovery,
  listEndpoints,
  listRecoveries,
  previewRecovery,
  readEndpointHealth,
  resendDelivery,
  rotateSecret,
  searchDeliveries,
  sendTestEvent,
  startRecovery,
  switchSecret,
  updateEndpoint,
} from "./index.ts";

type Filter = z.input<typeof SearchWebhookDeliveries>;

const url = "http://127.0.0.1:9/hook";

describe("deliveries", () => {
  deliveryTest(
    "are found by endpoint, event, type, state and time, page by page",
    async ({ hooks, deps, clock }) => {
      const owner = await hooks.owner();
      const first = await hooks.endpoint(owner, url);
      const second = await hooks.endpoint(owner, url);
      const events: string[] = [];
      for (let event = 0; event < 3; event++) {
        await clock.advance(1_000);
        events.push(await hooks.emit(owner));
      }
      const search = (filter: Filter) => searchDeliveries(deps, owner, SearchWebhookDeliveries.parse(filter));
      const page = await search({ endpointId: first.id, limit: 2 });
      expect(page.items.map(({ eventId }) => eventId)).toEqual([events[2], events[1]]);
      const { nextCursor = "" } = page;
      const rest = await search({ endpointId: first.id, limit: 2, cursor: nextCursor });
      expect(rest.items.map(({ eventId }) => eventId)).toEqual([events[0]]);
      expect(rest.nextCursor).toBeUndefined();

      expect((await search({})).items).toHaveLength(6);
      const ofEvent = await search({ eventId: events[1] });
      expect(new Set(ofEvent.items.map(({ endpointId }) => endpointId))).toEqual(
        new Set([first.id, second.id]),
      );
      expect((await search({ type: "automation.run.completed" })).items).toHaveLength(6);
      expect((await search({ type: "automation.run.failed" })).items).toEqual([]);
      expect((await search({ state: "pending" })).items).toHaveLength(6);
      expect((await search({ state: "exhausted" })).items).toEqual([]);
      expect((await search({ from: clock.now().toISOString() })).items).toHaveLength(2);
      await expect(search({ cursor: "nonsense" })).rejects.toEqual(appError("invalid_cursor"));
      await expect(search({ cursor: nextCursor })).rejects.toEqual(appError("invalid_cursor"));
    },
  );

  deliveryTest("and endpoints of another organization cannot be reached", async ({ hooks, deps }) => {
    const [owner, stranger] = [await hooks.owner(), await hooks.owner()];
    const { id } = await hooks.endpoint(owner, url);
    await hooks.emit(owner);
    const [delivery] = await hooks.deliveries({ endpointId: id });
    const deliveryId = delivery?.id ?? "";
    const ofFailures = { endpointId: id, since: new Date(0).toISOString(), perSecond: 10 };
    const recovery = await startRecovery(deps, owner, ofFailures);
    const attempts = [
      getEndpoint(deps, stranger, { id }),
      readEndpointHealth(deps, stranger, { id }),
      updateEndpoint(deps, stranger, { id, description: "mine" }),
      disableEndpoint(deps, stranger, { id }),
      enableEndpoint(deps, stranger, { id, held: "drop" }),
      rotateSecret(deps, stranger, { id, overlapHours: 24 }),
      switchSecret(deps, stranger, { id }),
      sendTestEvent(deps, stranger, { id }),
      deleteEndpoint(deps, stranger, { id }),
      getDelivery(deps, stranger, { id: deliveryId }),
      resendDelivery(deps, stranger, { id: deliveryId }),
      debugSignature(deps, stranger, { deliveryId, attempt: 1 }),
      previewRecovery(deps, stranger, ofFailures),
      startRecovery(deps, stranger, ofFailures),
      getRecovery(deps, stranger, { id: recovery.id }),
      cancelRecovery(deps, stranger, { id: recovery.id }),
    ];
    for (const outcome of await Promise.allSettled(attempts)) {
      expect(outcome).toEqual({ status: "rejected", reason: appError("not_found") });
    }
    const search = async (filter: Filter) =>
      (await searchDeliveries(deps, stranger, SearchWebhookDeliveries.parse(filter))).items;
    expect(await listEndpoints(deps, stranger)).toEqual([]);
    expect(await search({ endpointId: id })).toEqual([]);
    expect(await search({})).toEqual([]);
    expect(await listRecoveries(deps, stranger, {})).toEqual([]);
    expect(await getEndpoint(deps, owner, { id })).toMatchObject({ state: "enabled", description: "" });
  });
});
