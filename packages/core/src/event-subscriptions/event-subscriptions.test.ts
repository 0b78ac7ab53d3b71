import { waitUntilBlocked } from "@querybell/webhooks/testing";
import { describe, expect } from "vitest";
import { setFolderAccess } from "../access/index.ts";
import { listAudit } from "../audit.ts";
import { deleteAutomation, endAutomationRun, triggerAutomation } from "../automations/index.ts";
import { createFolder } from "../folders/index.ts";
import { revokeKey } from "../keys/index.ts";
import { deleteItems, moveItems } from "../library/index.ts";
import { removeMember } from "../members/index.ts";
import { appError } from "../testing/app-error.ts";
import { queuedJobs } from "../testing/queued-jobs.ts";
import {
  isSignedWith,
  requireSubscribed,
  subscriptionSecret,
  subscriptionTest as test,
} from "../testing/subscription-test.ts";
import {
  debugSignature,
  deleteEndpoint,
  getDelivery,
  getEndpoint,
  listEndpoints,
  resendDelivery,
} from "../webhooks/index.ts";
import { endSubscription, listSubscriptions, tellSubscriptionEnded, unsubscribeFromEvents } from "./index.ts";

const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];

describe("a subscription", () => {
  test("gets signed events of its automation, in the form of MCP Events", async ({
    hooks,
    deps,
    make,
    programs,
  }) => {
    const { owner, automationId, emit } = await programs.team();
    const other = await make.automation(owner);
    const program = await programs.program(owner);
    const receiver = await programs.receiver();
    const before = await emit();
    const answer = requireSubscribed(await program.subscribe(receiver.url, { automationId }));
    expect(answer).toMatchObject({ isTruncated: false, wasActive: undefined });
    const eventId = await emit();
    await hooks.emit({ ...owner, automationId: other.id });
    const pump = await hooks.pump();
    await pump.drain();
    expect(receiver.events).toEqual([
      {
        ...{ eventId, name: "automation.run.completed", timestamp: expect.any(String), status: 200 },
        ...{ data: expect.objectContaining({ automationId }), cursor: expect.any(String) },
      },
    ]);
    expect(receiver.take()).not.toContain(before);
    const [challenge, sent] = receiver.requests;
    for (const request of [challenge, sent]) {
      expect(request && isSignedWith(subscriptionSecret, request)).toBe(true);
      expect(request?.headers).toMatchObject({ "x-mcp-subscription-id": answer.subscriptionId });
      expect(Object.keys(request?.headers ?? {}).filter((name) => name.startsWith("svc-"))).toEqual([]);
    }
    expect(sent?.headers["webhook-id"]).toBe(eventId);

    // Admins find it in the log as it was sent, and send it again.
    const [{ id: endpointId } = { id: "" }] = await listSubscriptions(deps, owner);
    const [delivery] = await hooks.deliveries({ endpointId });
    const { body, endpointKind } = await getDelivery(deps, owner, { id: delivery?.id ?? "" });
    expect({ body, endpointKind }).toEqual({ body: sent?.body.toString(), endpointKind: "mcp" });
    const debugged = { deliveryId: delivery?.id ?? "", attempt: 1, secret: subscriptionSecret };
    expect(await debugSignature(deps, owner, debugged)).toMatchObject({
      reproduced: true,
      given: { matches: true },
    });
    await resendDelivery(deps, owner, { id: delivery?.id ?? "" });
    await pump.drain();
    expect(receiver.take()).toEqual([eventId]);
    expect(await listEndpoints(deps, owner)).toEqual([]);
    await expect(getEndpoint(deps, owner, { id: endpointId })).rejects.toEqual(appError("not_found"));
    await expect(deleteEndpoint(deps, owner, { id: endpointId })).rejects.toEqual(appError("not_found"));
  });

  test("is the same when it is renewed; both secrets sign for a day", async ({
    hooks,
    deps,
    programs,
    clock,
  }) => {
    const { owner, emit } = await programs.team();
    const program = await programs.program(owner);
    const receiver = await programs.receiver();
    const first = requireSubscribed(await program.subscribe(receiver.url, { ttlMs: hour }));
    expect(first.expiresAt).toEqual(new Date(clock.now().getTime() + hour));
    const secret = `whsec_${Buffer.alloc(64, 9).toString("base64")}`;
    const second = requireSubscribed(await program.subscribe(receiver.url, { ttlMs: null, secret }));
    expect(second).toMatchObject({ subscriptionId: first.subscriptionId, wasActive: true });
    expect(second.expiresAt).toEqual(new Date(clock.now().getTime() + 7 * day));
    expect(await listSubscriptions(deps, owner)).toHaveLength(1);
    const pump = await hooks.pump();
    await emit();
    await pump.drain();
    const [challenge, both, ...others] = receiver.requests;
    expect([challenge, both, others.length].map(Boolean)).toEqual([true, true, false]);
    expect([subscriptionSecret, secret].map((one) => both && isSignedWith(one, both))).toEqual([true, true]);
    await clock.advance(day);
    await emit();
    await pump.drain();
    const last = receiver.requests.at(-1);
    expect([subscriptionSecret, secret].map((one) => last && isSignedWith(one, last))).toEqual([false, true]);
  });

  test("ends at its expiry, with what waits for it", async ({ hooks, deps, programs, clock }) => {
    const { owner, emit } = await programs.team();
    const program = await programs.program(owner);
    const receiver = await programs.receiver(() => 500);
    requireSubscribed(await program.subscribe(receiver.url, { ttlMs: 1 }));
    await emit();
    const pump = await hooks.pump();
    await pump.drain();
    const [{ id: endpointId } = { id: "" }] = await listSubscriptions(deps, owner);
    await clock.advance(5_000);
    await pump.drain();
    expect(receiver.events, "the second attempt follows after five seconds").toHaveLength(2);
    await clock.advance(5 * minute);
    await emit();
    await pump.drain();
    expect(receiver.events).toHaveLength(2);
    expect(await hooks.states(endpointId)).toEqual(["cancelled"]);
    expect(await listSubscriptions(deps, owner)).toEqual([]);
    const { items } = await listAudit(deps, owner, { targetId: endpointId, limit: 10 });
    expect(items.map(({ action, detail }) => [action, detail.reason])).toEqual([
      ["event_subscription.ended", "expired"],
      ["event_subscription.created", undefined],
    ]);
  });

  test("ends if the receiver is gone, and an event that is too large is not sent again", async ({
    hooks,
    deps,
    programs,
    clock,
  }) => {
    const { owner, emit } = await programs.team();
    const program = await programs.program(owner);
    const answers: Record<string, number> = {};
    const receiver = await programs.receiver((eventId) => answers[eventId] ?? 200);
    requireSubscribed(await program.subscribe(receiver.url));
    const pump = await hooks.pump();
    answers[await emit()] = 413;
    await pump.drain();
    await clock.advance(hour);
    await pump.drain();
    expect(receiver.events.map(({ status }) => status)).toEqual([413]);
    answers[await emit()] = 410;
    await pump.drain();
    expect(await listSubscriptions(deps, owner)).toEqual([]);
    await emit();
    await pump.drain();
    expect(receiver.events.map(({ status }) => status)).toEqual([413, 410]);
  });

  test("that failed too often is held until its program subscribes again", async ({
    hooks,
    deps,
    programs,
    clock,
  }) => {
    const { owner, emit } = await programs.team();
    const program = await programs.program(owner);
    let status = 413;
    const receiver = await programs.receiver(() => status);
    requireSubscribed(await program.subscribe(receiver.url));
    const pump = await hooks.pump();
    for (let failed = 0; failed < 5; failed++) {
      await emit();
      await pump.drain();
    }
    const held = await emit();
    await pump.drain();
    expect(await listSubscriptions(deps, owner)).toMatchObject([{ state: "disabled", held: 1 }]);
    expect(await deps.db.prisma.notification.count({ where: { userId: owner.userId } })).toBe(0);
    status = 200;
    receiver.take();
    const { wasActive } = requireSubscribed(await program.subscribe(receiver.url));
    expect(wasActive).toBe(false);
    await pump.drain();
    await clock.advance(1_000);
    await pump.drain();
    expect(receiver.take()).toEqual([held]);
  });
});

describe("nothing more is sent", () => {
  test("to a key that was revoked, or whose owner has left", async ({ hooks, deps, make, programs }) => {
    const { owner, emit } = await programs.team();
    const admin = await make.member(owner.organizationId, "admin");
    const [first, second] = [await programs.program(owner), await programs.program(admin)];
    const [ofFirst, ofSecond] = [await programs.receiver(), await programs.receiver()];
    requireSubscribed(await first.subscribe(ofFirst.url));
    requireSubscribed(await second.subscribe(ofSecond.url));
    const before = await hooks.pump();
    await emit();
    await before.drain();
    expect([ofFirst.take().length, ofSecond.take().length]).toEqual([1, 1]);
    await before.stop();
    await emit();
    await revokeKey(deps, owner, { id: first.keyId });
    await removeMember(deps, owner, { userId: admin.userId });
    await emit();
    const after = await hooks.pump();
    await after.drain();
    expect([ofFirst.take(), ofSecond.take()]).toEqual([[], []]);
    const { items } = await listAudit(deps, owner, { action: "event_subscription.ended", limit: 10 });
    expect(items.map(({ detail }) => detail.reason)).toEqual(["key_revoked", "key_revoked"]);
    await expect(first.subscribe(ofFirst.url)).rejects.toEqual(appError("unauthorized"));
  });

  test("of an automation that the key does not see, or that was deleted", async ({
    hooks,
    deps,
    make,
    programs,
  }) => {
    const { owner, automationId, emit } = await programs.team();
    const member = await make.member(owner.organizationId);
    const { id: folderId } = await createFolder(deps, owner, { name: "Board", parentId: null });
    const items = [{ kind: "automation" as const, id: automationId }];
    const [ofOwner, ofMember] = [await programs.program(owner), await programs.program(member)];
    const narrow = await programs.program(owner, { folderIds: [folderId] });
    const receivers = [await programs.receiver(), await programs.receiver(), await programs.receiver()];
    for (const [index, program] of [ofOwner, ofMember, narrow].entries()) {
      requireSubscribed(await program.subscribe(receivers[index]?.url ?? ""));
    }
    const pump = await hooks.pump();
    const counts = async () => {
      await emit();
      await pump.drain();
      return receivers.map((receiver) => receiver.take().length);
    };
    expect(await counts(), "the key for a folder does not see it").toEqual([1, 1, 0]);
    await moveItems(deps, owner, { items, folderId });
    await setFolderAccess(deps, owner, { folderId, grants: [] });
    expect(await counts(), "the member does not see the folder").toEqual([1, 0, 0]);
    await deleteAutomation(deps, owner, { id: automationId });
    expect(await counts()).toEqual([0, 0, 0]);
  });

  test("after its program has unsubscribed, or an admin has ended it", async ({
    hooks,
    deps,
    programs,
    clock,
  }) => {
    const { owner, emit } = await programs.team();
    const program = await programs.program(owner);
    const receiver = await programs.receiver();
    const pump = await hooks.pump();
    const target = { event: "automation.run.completed" as const, automationId: null, url: receiver.url };
    requireSubscribed(await program.subscribe(receiver.url));
    await unsubscribeFromEvents(deps, program.caller, target);
    await unsubscribeFromEvents(deps, program.caller, target);
    await clock.advance(1_000);
    await emit();
    await pump.drain();
    requireSubscribed(await program.subscribe(receiver.url));
    const [subscription] = await listSubscriptions(deps, owner);
    const { id } = subscription ?? { id: "" };
    const stranger = await hooks.owner();
    await expect(endSubscription(deps, stranger, { id })).rejects.toEqual(appError("not_found"));
    await endSubscription(deps, owner, { id });
    await expect(endSubscription(deps, owner, { id })).rejects.toEqual(appError("not_found"));
    await emit();
    await pump.drain();
    expect(receiver.take()).toEqual([]);
    // The program is told of what it did not do itself.
    const told = (await queuedJobs(deps, "tell_subscription_ended")).filter((job) => job.endpointId === id);
    expect(told).toHaveLength(1);
    for (const job of told) expect(await tellSubscriptionEnded(deps, job)).toBe("success");
    const last = receiver.requests.at(-1);
    expect(last && isSignedWith(subscriptionSecret, last)).toBe(true);
    expect(last?.headers).toMatchObject({ "webhook-id": `msg_terminated_${id}` });
    expect(JSON.parse(last?.body.toString() ?? "")).toEqual({
      type: "terminated",
      error: { code: -32012, message: "An admin has ended the subscription." },
    });
    const { items } = await listAudit(deps, owner, { action: "event_subscription.ended", limit: 10 });
    expect(items.map(({ detail, keyId }) => [detail.reason, keyId])).toEqual([
      ["admin", null],
      ["unsubscribed", program.keyId],
    ]);
  });
});

describe("a replay", () => {
  test("from every cursor gives exactly what came after it", async ({ hooks, deps, programs, clock }) => {
    const { owner, emit } = await programs.team();
    const program = await programs.program(owner);
    const receiver = await programs.receiver();
    const start = requireSubscribed(await program.subscribe(receiver.url, { ttlMs: 1 }));
    const pump = await hooks.pump();
    const emitted: string[] = [];
    for (let count = 0; count < 6; count++) emitted.push(await emit());
    await pump.drain();
    const cursors = new Map(receiver.events.map(({ eventId, cursor }) => [eventId, cursor]));
    expect(receiver.take().sort()).toEqual(emitted);
    // The last ones are missed: the subscription has expired.
    await clock.advance(10 * minute);
    await pump.drain();
    for (let count = 0; count < 3; count++) emitted.push(await emit());
    await pump.drain();
    expect(receiver.take()).toEqual([]);

    for (const [index, cursor] of [
      start.cursor,
      ...emitted.slice(0, 6).map((id) => cursors.get(id) ?? ""),
    ].entries()) {
      // With another address each time, as clients make them.
      const answer = requireSubscribed(await program.subscribe(`${receiver.url}?n=${index}`, { cursor }));
      expect(answer).toMatchObject({ isTruncated: false, cursor });
      await pump.drain();
      expect(receiver.take().sort(), `after ${index} events`).toEqual(emitted.slice(index));
      const target = { event: "automation.run.completed" as const, automationId: null };
      await unsubscribeFromEvents(deps, program.caller, { ...target, url: `${receiver.url}?n=${index}` });
    }
  });

  test("gives what was not delivered before the cursor, and nothing twice that waits", async ({
    hooks,
    programs,
    clock,
  }) => {
    const { owner, emit } = await programs.team();
    const program = await programs.program(owner);
    const failing = new Set<string>();
    const receiver = await programs.receiver((eventId) => (failing.has(eventId) ? 500 : 200));
    requireSubscribed(await program.subscribe(receiver.url, { ttlMs: 1 }));
    const pump = await hooks.pump();
    const late = await emit();
    failing.add(late);
    const last = await emit();
    await pump.drain();
    const cursor = receiver.events.find(({ eventId }) => eventId === last)?.cursor ?? "";
    expect(receiver.take()).toEqual([last]);
    // It waits for its second attempt, which is made at once.
    failing.clear();
    requireSubscribed(await program.subscribe(receiver.url, { cursor, ttlMs: 1 }));
    await pump.drain();
    expect(receiver.take()).toEqual([late]);
    await clock.advance(5_000);
    await pump.drain();
    expect(receiver.take()).toEqual([]);

    const missed = await emit();
    failing.add(missed);
    const next = await emit();
    await pump.drain();
    const nextCursor = receiver.events.find(({ eventId }) => eventId === next)?.cursor ?? "";
    expect(receiver.take()).toEqual([next]);
    await clock.advance(hour);
    failing.clear();
    await pump.drain();
    expect(receiver.take(), "it has expired").toEqual([]);
    const elsewhere = await programs.receiver();
    requireSubscribed(await program.subscribe(elsewhere.url, { cursor: nextCursor }));
    await pump.drain();
    expect(elsewhere.take()).toEqual([missed]);
  });

  test("says if something may be missing", async ({ hooks, deps, programs, clock }) => {
    const { owner, emit } = await programs.team();
    const { organizationId } = owner;
    const program = await programs.program(owner);
    const receiver = await programs.receiver();
    const { cursor } = requireSubscribed(await program.subscribe(receiver.url));
    const first = await emit();
    await clock.advance(hour);
    const second = await emit();
    const pump = await hooks.pump();
    await pump.drain();
    receiver.take();
    const replay = async (input: { cursor: string; maxAgeMs?: number }) => {
      const { isTruncated } = requireSubscribed(await program.subscribe(receiver.url, input));
      await pump.drain();
      return { isTruncated, events: receiver.take() };
    };
    expect(await replay({ cursor })).toEqual({ isTruncated: false, events: [first, second] });
    expect(await replay({ cursor, maxAgeMs: minute })).toEqual({ isTruncated: true, events: [second] });
    await deps.db.prisma.webhookEvent.delete({ where: { id: first } });
    expect(await replay({ cursor })).toEqual({ isTruncated: true, events: [second] });

    const stranger = await programs.team();
    const other = await programs.program(stranger.owner);
    const { cursor: foreign } = requireSubscribed(await other.subscribe(receiver.url));
    await stranger.emit();
    expect(await replay({ cursor: foreign })).toEqual({ isTruncated: true, events: expect.any(Array) });
    expect(
      await deps.db.prisma.webhookDelivery.count({
        where: { endpoint: { organizationId }, event: { organizationId: stranger.owner.organizationId } },
      }),
    ).toBe(0);
    for (const bad of ["1", "x", `${cursor} `, `-${cursor}`, `9${"0".repeat(40)}-${cursor.slice(2)}`]) {
      await expect(program.subscribe(receiver.url, { cursor: bad })).rejects.toEqual(
        appError("invalid_request"),
      );
    }
  });

  test("says once that an event before the cursor was purged before the receiver got it", async ({
    hooks,
    deps,
    programs,
    clock,
  }) => {
    const { owner, emit } = await programs.team();
    const { id: folderId } = await createFolder(deps, owner, { name: "Board", parentId: null });
    const [program, narrow] = [
      await programs.program(owner),
      await programs.program(owner, { folderIds: [folderId] }),
    ];
    const tooLarge = new Set<string>();
    const receiver = await programs.receiver((eventId) => (tooLarge.has(eventId) ? 413 : 200));
    requireSubscribed(await program.subscribe(receiver.url));
    requireSubscribed(await narrow.subscribe((await programs.receiver()).url));
    const pump = await hooks.pump();
    const lost = await emit();
    tooLarge.add(lost);
    await pump.drain();
    const delivered = await emit();
    await pump.drain();
    const cursor = receiver.events.at(-1)?.cursor ?? "";
    const isTruncated = async () =>
      requireSubscribed(await program.subscribe(receiver.url, { cursor })).isTruncated;
    await deps.db.prisma.webhookEvent.delete({ where: { id: delivered } });
    expect(await isTruncated(), "what arrived is no loss").toBe(false);
    await deps.db.prisma.webhookEvent.delete({ where: { id: lost } });
    // A program that gets no answer repeats the call.
    expect([await isTruncated(), await isTruncated()]).toEqual([true, true]);
    await clock.advance(hour);
    expect(await isTruncated()).toBe(false);
    // The key for a folder was not to get it.
    const { organizationId } = owner;
    const where = { organizationId, lostPosition: { not: null } };
    expect(await deps.db.prisma.webhookEndpoint.count({ where })).toBe(1);
  });

  test("is complete although a cause was emitted twice", async ({ hooks, deps, programs }) => {
    const { owner, automationId, emit } = await programs.team();
    const { organizationId } = owner;
    const program = await programs.program(owner);
    const receiver = await programs.receiver();
    const { cursor } = requireSubscribed(await program.subscribe(receiver.url));
    const twice = { organizationId, automationId, cause: "twice" };
    const first = await deps.db.transaction((tx) => hooks.emitIn(tx, twice));
    expect(await deps.db.transaction((tx) => hooks.emitIn(tx, twice))).toBeUndefined();
    const second = await emit();
    const pump = await hooks.pump();
    await pump.drain();
    expect(receiver.take().sort()).toEqual([first, second]);
    const { isTruncated } = requireSubscribed(await program.subscribe(receiver.url, { cursor }));
    expect(isTruncated).toBe(false);
  });

  test("says if a cursor is from before a restore, where its position has another event now", async ({
    hooks,
    deps,
    programs,
  }) => {
    const { owner, emit } = await programs.team();
    const { organizationId } = owner;
    const program = await programs.program(owner);
    const receiver = await programs.receiver();
    requireSubscribed(await program.subscribe(receiver.url));
    const pump = await hooks.pump();
    const lost = await emit();
    await pump.drain();
    const cursor = receiver.events.at(-1)?.cursor ?? "";
    const { cursor: started } = requireSubscribed(await program.subscribe(`${receiver.url}?other`));
    const isTruncated = async (from: string) =>
      requireSubscribed(await program.subscribe(receiver.url, { cursor: from })).isTruncated;
    expect([await isTruncated(cursor), await isTruncated(started)]).toEqual([false, false]);
    // As in a backup that was made before the event.
    await deps.db.prisma.webhookEvent.delete({ where: { id: lost } });
    await deps.db.prisma.eventStream.update({ where: { organizationId }, data: { position: 0 } });
    expect([await isTruncated(cursor), await isTruncated(started)]).toEqual([true, true]);
    await emit();
    expect([await isTruncated(cursor), await isTruncated(started)]).toEqual([true, true]);
    const withoutId = cursor.slice(0, cursor.lastIndexOf("-"));
    expect(await isTruncated(withoutId), "a cursor of an older release").toBe(false);
  });

  test("is in the order of the commits, whatever the order of the events' ids", async ({
    hooks,
    deps,
    programs,
  }) => {
    const { owner, automationId } = await programs.team();
    const program = await programs.program(owner);
    const receiver = await programs.receiver();
    requireSubscribed(await program.subscribe(receiver.url));
    const { organizationId } = owner;
    let second: Promise<string> | undefined;
    const first = await deps.db.transaction(async (tx) => {
      const id = await hooks.emitIn(tx, { organizationId, automationId, cause: "first" });
      second = hooks.emit({ organizationId, automationId });
      await waitUntilBlocked(deps.db.pool, second);
      return id;
    });
    const events = await deps.db.prisma.webhookEvent.findMany({
      where: { organizationId, position: { not: null }, id: { in: [first ?? "", (await second) ?? ""] } },
      orderBy: { position: "asc" },
    });
    expect(events.map(({ id }) => id)).toEqual([first, await second]);
  });
});

test("runs of several automations end while these are deleted together", async ({ deps, make, programs }) => {
  const { owner } = await programs.team();
  const program = await programs.program(owner);
  requireSubscribed(await program.subscribe((await programs.receiver()).url));
  const chart = await make.reference(owner, "SELECT 1");
  const references = [{ shortId: chart.shortId }];
  const failure = { code: "stopped", reason: "stopped" } as const;
  for (let round = 0; round < 10; round++) {
    const automations = await Promise.all([1, 2].map(() => make.automation(owner, { references })));
    const runs = await Promise.all(
      automations.map((automation) => triggerAutomation(deps, owner, automation)),
    );
    const items = automations.map(({ id }) => ({ kind: "automation" as const, id }));
    const { organizationId } = owner;
    // Without one order of the locks, these would wait for each other.
    await Promise.all([
      deleteItems(deps, owner, { items }),
      ...runs.map((run) => endAutomationRun(deps, { ...run, organizationId }, { kind: "failed", failure })),
    ]);
  }
});

describe("subscribing is refused", () => {
  test("if the receiver does not answer the challenge", async ({ hooks, deps, programs }) => {
    const { owner } = await programs.team();
    const program = await programs.program(owner);
    const answers: [number, string, string][] = [
      [200, "", "challenge_failed"],
      [200, '{"challenge":"something else"}', "challenge_failed"],
      [204, "", "challenge_failed"],
      [302, "", "challenge_failed"],
      [404, "", "http_4xx"],
      [503, "", "http_5xx"],
    ];
    for (const [status, body, reason] of answers) {
      const receiver = await hooks.receiver((response) =>
        response.writeHead(status, { location: "http://127.0.0.1:9/" }).end(body),
      );
      expect(await program.subscribe(receiver.url)).toEqual({ kind: "challenge_failed", reason });
      expect(receiver.requests).toHaveLength(1);
    }
    const nobody = await hooks.receiver((response) => response.end());
    await nobody[Symbol.asyncDispose]();
    expect(await program.subscribe(nobody.url)).toEqual({
      kind: "challenge_failed",
      reason: "connection_refused",
    });
    expect(await listSubscriptions(deps, owner)).toEqual([]);
  });

  test.for([
    "http://example.com/hook",
    "https://user:password@example.com/",
    "https://example.com/#part",
    "https://10.0.0.1/",
    "https://169.254.169.254/latest/meta-data",
    "https://[fd00::1]/",
    "https://0x7f.1/",
    "ftp://example.com/",
    "not a url",
  ])("for the address %s", async (url, { programs }) => {
    const { owner } = await programs.team();
    const program = await programs.program(owner);
    const answer = await program.subscribe(url).catch((error: unknown) => error);
    const refused = [appError("invalid_request"), { kind: "challenge_failed", reason: "connection_refused" }];
    expect(refused).toContainEqual(answer);
  });

  test("for wrong secrets, unknown automations, and without webhooks", async ({ deps, make, programs }) => {
    const { owner } = await programs.team();
    const stranger = await programs.team();
    const program = await programs.program(owner);
    const receiver = await programs.receiver();
    const bytes = (count: number) => `whsec_${Buffer.alloc(count, 1).toString("base64")}`;
    for (const secret of [
      "",
      "whsec_",
      bytes(23),
      bytes(65),
      `${bytes(32)} `,
      bytes(32).slice(6),
      "whsec_%%%",
    ]) {
      await expect(program.subscribe(receiver.url, { secret })).rejects.toEqual(appError("invalid_request"));
    }
    const { automationId } = stranger;
    await expect(program.subscribe(receiver.url, { automationId })).rejects.toEqual(
      appError("invalid_request"),
    );
    expect(receiver.requests).toEqual([]);
    const without = await programs.program(await make.owner());
    await expect(without.subscribe(receiver.url)).rejects.toEqual(appError("webhooks_not_enabled"));
    expect(await listSubscriptions(deps, owner)).toEqual([]);
  });

  test("beyond the limit of a key, also at once", async ({ deps, programs }) => {
    const { owner } = await programs.team();
    const program = await programs.program(owner);
    const receiver = await programs.receiver();
    const answers = await Promise.all(
      Array.from({ length: 53 }, (_, index) => program.subscribe(`${receiver.url}?n=${index}`)),
    );
    const refused = answers.filter(({ kind }) => kind === "limit_reached");
    expect(refused).toEqual(
      Array.from({ length: 3 }, () => ({ kind: "limit_reached", limit: "key", max: 50 })),
    );
    expect(await listSubscriptions(deps, owner)).toHaveLength(50);
    const renewed = answers.findIndex(({ kind }) => kind === "subscribed");
    requireSubscribed(await program.subscribe(`${receiver.url}?n=${renewed}`));
  });
});
