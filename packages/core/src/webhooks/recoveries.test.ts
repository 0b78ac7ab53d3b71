import { purgeWebhookHistory } from "@querybell/webhooks";
import { waitUntilBlocked, whileOtherTransaction } from "@querybell/webhooks/testing";
import { describe, expect } from "vitest";
import { deliveryTest } from "../testing/delivery-test.ts";
import {
  cancelRecovery,
  deleteEndpoint,
  disableEndpoint,
  getRecovery,
  listRecoveries,
  previewRecovery,
  resendDelivery,
  startRecovery,
} from "./index.ts";

const day = 86_400_000;

/** An endpoint with four exhausted deliveries that accepts everything from now on. */
const withFailures = deliveryTest.extend("failing", { scope: "test" }, async ({ hooks, clock }) => {
  const owner = await hooks.owner();
  const answers = { status: 500 };
  const receiver = await hooks.receiver((response) => response.writeHead(answers.status).end());
  const { id: endpointId } = await hooks.endpoint(owner, receiver.url, { maxInFlight: 1 });
  const since = clock.now().toISOString();
  await clock.advance(1_000);
  const pump = await hooks.pump();
  await hooks.emitNearlyExhausted(owner, 4);
  await pump.drain();
  answers.status = 200;
  receiver.requests.length = 0;
  return { owner, receiver, answers, endpointId, since, pump };
});

describe("a recovery", () => {
  withFailures(
    "sends again what failed since a time, at its pace, and is done",
    async ({ failing, deps, clock, hooks }) => {
      const { owner, receiver, endpointId, since, pump } = failing;
      const preview = (from: string) => previewRecovery(deps, owner, { endpointId, since: from });
      expect(await preview(since)).toEqual({ total: 4 });
      await clock.advance(1_000);
      expect(await preview(clock.now().toISOString())).toEqual({ total: 0 });

      const original = (await hooks.deliveries({ endpointId })).map(({ eventId }) => eventId);
      const { id } = await startRecovery(deps, owner, { endpointId, since, perSecond: 1 });
      await expect(startRecovery(deps, owner, { endpointId, since, perSecond: 1 })).rejects.toThrow(
        /running/,
      );
      for (const arrived of [1, 2, 3, 4]) {
        await pump.drain();
        expect(receiver.requests).toHaveLength(arrived);
        await clock.advance(1_000);
      }
      await pump.drain();
      expect(receiver.requests.map(({ headers }) => headers["svc-webhook-id"])).toEqual(original);
      expect(await getRecovery(deps, owner, { id })).toMatchObject({
        state: "completed",
        total: 4,
        queued: 4,
        succeeded: 4,
        pending: 0,
      });
      expect(await preview(since)).toEqual({ total: 0 });
    },
  );

  withFailures(
    "does not send events that were emitted after it was started, even if they failed",
    async ({ failing, hooks, deps, clock }) => {
      const { owner, endpointId, since, pump } = failing;
      await clock.advance(1_000);
      const { id } = await startRecovery(deps, owner, { endpointId, since, perSecond: 100 });
      await pump.stop();
      await clock.advance(1_000);
      const eventId = await hooks.emit(owner);
      const failedLater = { state: "exhausted", stateChangedAt: clock.now() } as const;
      await deps.db.prisma.webhookDelivery.updateMany({ where: { eventId }, data: failedLater });
      const next = await hooks.pump();
      await next.drain();
      await clock.advance(60_000);
      await next.drain();
      expect(await getRecovery(deps, owner, { id })).toMatchObject({ state: "completed", queued: 4 });
      expect((await hooks.deliveries({ eventId })).map(({ kind }) => kind)).toEqual(["normal"]);
    },
  );

  withFailures("that is cancelled sends nothing more", async ({ failing, deps, clock }) => {
    const { owner, receiver, endpointId, since, pump } = failing;
    const { id } = await startRecovery(deps, owner, { endpointId, since, perSecond: 1 });
    await pump.drain();
    expect(await cancelRecovery(deps, owner, { id })).toMatchObject({
      state: "cancelled",
      queued: 4,
      pending: 0,
      succeeded: 1,
      cancelled: 3,
    });
    await clock.advance(60_000);
    await pump.drain();
    expect(receiver.requests).toHaveLength(1);
    await expect(cancelRecovery(deps, owner, { id })).rejects.toThrow(/already cancelled/);
  });

  withFailures("that was cancelled leaves the rest to the next one", async ({ failing, deps, clock }) => {
    const { owner, receiver, endpointId, since, pump } = failing;
    const { id } = await startRecovery(deps, owner, { endpointId, since, perSecond: 1 });
    await pump.drain();
    await cancelRecovery(deps, owner, { id });
    expect(await previewRecovery(deps, owner, { endpointId, since })).toEqual({ total: 3 });
    const again = await startRecovery(deps, owner, { endpointId, since, perSecond: 100 });
    await pump.drain();
    await clock.advance(1_000);
    await pump.drain();
    expect(new Set(receiver.requests.map(({ headers }) => headers["svc-webhook-id"])).size).toBe(4);
    expect(receiver.requests).toHaveLength(4);
    expect(await getRecovery(deps, owner, again)).toMatchObject({ state: "completed", succeeded: 3 });
  });

  withFailures(
    "finds what failed late, however old its event is",
    async ({ failing, hooks, deps, clock }) => {
      const { owner, endpointId, answers, pump } = failing;
      answers.status = 500;
      await pump.stop();
      await hooks.emitNearlyExhausted(owner);
      await clock.advance(day);
      const since = clock.now().toISOString();
      const later = await hooks.pump();
      await later.drain();
      expect(await previewRecovery(deps, owner, { endpointId, since })).toEqual({ total: 1 });
    },
  );

  withFailures("continues after its pump was stopped", async ({ failing, hooks, deps, clock }) => {
    const { owner, receiver, endpointId, since, pump } = failing;
    const { id } = await startRecovery(deps, owner, { endpointId, since, perSecond: 1 });
    await pump.drain();
    await pump.stop();
    await clock.advance(60_000);
    const next = await hooks.pump();
    await next.drain();
    await clock.advance(60_000);
    await next.drain();
    expect(receiver.requests).toHaveLength(4);
    expect(await getRecovery(deps, owner, { id })).toMatchObject({ state: "completed", succeeded: 4 });
  });

  withFailures("looks back from a time in the past only", async ({ hooks, deps, clock }) => {
    const owner = await hooks.owner();
    const { id: endpointId } = await hooks.endpoint(owner, "http://127.0.0.1:9/hook");
    const since = new Date(clock.now().getTime() + 60_000).toISOString();
    const ahead = { endpointId, since, perSecond: 10 };
    await expect(previewRecovery(deps, owner, ahead)).rejects.toThrow(/Choose a time in the past/);
    await expect(startRecovery(deps, owner, ahead)).rejects.toThrow(/Choose a time in the past/);
    expect(await listRecoveries(deps, owner, {})).toEqual([]);
  });
});

describe("a resend", () => {
  withFailures(
    "has its own eight attempts, as often as one asks",
    async ({ failing, hooks, deps, clock }) => {
      const { owner, receiver, answers, endpointId, pump } = failing;
      const [first] = await hooks.deliveries({ endpointId });
      await clock.advance(1_000);
      const again = await resendDelivery(deps, owner, { id: first?.id ?? "" });
      await pump.drain();
      answers.status = 500;
      await clock.advance(1_000);
      const third = await resendDelivery(deps, owner, { id: again.id });
      await pump.drain();
      expect(receiver.requests.map(({ headers }) => headers["svc-webhook-id"])).toEqual([
        first?.eventId,
        first?.eventId,
      ]);
      const rounds = (await hooks.deliveries({ eventId: first?.eventId ?? "" })).map(
        ({ id, kind, state, attemptCount }) => [id, kind, state, attemptCount],
      );
      expect(rounds).toEqual([
        [first?.id, "normal", "exhausted", 8],
        [again.id, "resend", "succeeded", 1],
        [third.id, "resend", "pending", 1],
      ]);
      // Another resend replaces the pending one.
      answers.status = 200;
      await clock.advance(1_000);
      await resendDelivery(deps, owner, { id: first?.id ?? "" });
      await clock.advance(60_000);
      await pump.drain();
      const states = (await hooks.deliveries({ eventId: first?.eventId ?? "" })).map(({ state }) => state);
      expect(states).toEqual(["exhausted", "succeeded", "cancelled", "succeeded"]);
      expect(receiver.requests).toHaveLength(3);
    },
  );

  withFailures("of an event that is being deleted finds none", async ({ failing, hooks, deps }) => {
    const { owner, endpointId } = failing;
    const { pool } = deps.db;
    const [first] = await hooks.deliveries({ endpointId });
    let resending: Promise<unknown> | undefined;
    const purge = { has: "DELETE FROM webhook_events WHERE id = $1", values: [first?.eventId] };
    await whileOtherTransaction(pool, purge, async () => {
      resending = resendDelivery(deps, owner, { id: first?.id ?? "" });
      await waitUntilBlocked(pool, resending);
    });
    await expect(resending).rejects.toMatchObject({ code: "not_found" });
  });

  withFailures("can be the 32,768th", async ({ failing, hooks, deps }) => {
    const { owner, endpointId, pump } = failing;
    const [first] = await hooks.deliveries({ endpointId });
    await deps.db.pool.query("UPDATE webhook_deliveries SET round = 32767 WHERE id = $1", [first?.id]);
    const again = await resendDelivery(deps, owner, { id: first?.id ?? "" });
    await pump.drain();
    expect(await hooks.deliveries({ eventId: first?.eventId ?? "" })).toContainEqual(
      expect.objectContaining({ id: again.id, state: "succeeded" }),
    );
  });
});

describe("deleting an endpoint", () => {
  withFailures(
    "cancels what is unfinished and keeps the history",
    async ({ failing, hooks, deps, clock }) => {
      const { owner, endpointId, pump, receiver } = failing;
      await clock.advance(1_000);
      await disableEndpoint(deps, owner, { id: endpointId });
      await hooks.emit(owner);
      await deleteEndpoint(deps, owner, { id: endpointId });
      await hooks.emit(owner);
      await pump.drain();
      expect(await hooks.states(endpointId)).toEqual([...Array(4).fill("exhausted"), "cancelled"]);
      expect(receiver.requests).toHaveLength(0);
      expect(await deps.db.prisma.webhookSecret.count({ where: { endpointId } })).toBe(0);
    },
  );
});

describe("retention", () => {
  withFailures(
    "removes what is old and finished, and nothing else",
    async ({ failing, hooks, deps, clock }) => {
      const { owner, answers, endpointId, pump } = failing;
      await clock.advance(1_000);
      const resent = (await hooks.deliveries({ endpointId }))[0]?.id ?? "";
      answers.status = 500;
      await hooks.emit(owner);
      await pump.drain();
      await disableEndpoint(deps, owner, { id: endpointId });
      await clock.advance(20 * day);
      await deps.db.prisma.webhookDelivery.update({
        where: { id: resent },
        data: { stateChangedAt: clock.now() },
      });
      await purgeWebhookHistory(deps.db.pool, { days: 7 });
      expect(await hooks.states(endpointId)).toEqual(["exhausted", "held"]);
      await clock.advance(11 * day);
      await purgeWebhookHistory(deps.db.pool, { days: 7 });
      expect(await hooks.states(endpointId)).toEqual(["dropped"]);
      await clock.advance(8 * day);
      await purgeWebhookHistory(deps.db.pool, { days: 7 });
      expect(await hooks.states(endpointId)).toEqual([]);
      expect(await deps.db.prisma.webhookAttempt.count({ where: { delivery: { endpointId } } })).toBe(0);
    },
  );

  withFailures(
    "drops at once what was held as its endpoint was being deleted",
    async ({ failing, hooks, deps }) => {
      const { owner, endpointId } = failing;
      await disableEndpoint(deps, owner, { id: endpointId });
      await hooks.emit(owner);
      // As if an emitter had seen the endpoint disabled, and committed after it was deleted.
      await deps.db.prisma.webhookEndpoint.update({
        where: { id: endpointId },
        data: { state: "deleted", disabledReason: null, disabledAt: null },
      });
      await purgeWebhookHistory(deps.db.pool, { days: 7 });
      expect((await hooks.states(endpointId)).filter((state) => state !== "exhausted")).toEqual(["dropped"]);
    },
  );
});
