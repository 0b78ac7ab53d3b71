import { setImmediate } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Deps } from "@querybell/core";
import { revokeKey } from "@querybell/core/keys";
import { changeRole, leaveOrganization, removeMember } from "@querybell/core/members";
import { switchOrganization } from "@querybell/core/organizations";
import { runQuery } from "@querybell/core/runs";
import type { Caller } from "@querybell/domain";
import { describe, expect, onTestFinished, test } from "vitest";
import { type Api, apiTest, startApi } from "../testing/api-test.ts";
import { whileAllowed } from "./subscriptions.ts";

const pendingRun = async (deps: Deps, make: { query: Make }, owner: Caller): Promise<string> => {
  const { id } = await make.query(owner, "SELECT 1");
  return (await runQuery(deps, owner, { id, parameterValues: {} })).id;
};
type Make = (caller: Caller, sql: string) => Promise<{ id: string }>;

/** Opens a subscription. Resolves after its first message. */
async function watch(api: Api, path: string, headers: Record<string, string>) {
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const answer = await api.fetch(`/api/trpc/${path}`, {
    headers: { accept: "text/event-stream", ...headers },
    signal: stop.signal,
  });
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  const read = async (): Promise<boolean> => {
    const { done, value = "" } = (await reader?.read()) ?? { done: true };
    text += value;
    return !done;
  };
  while (!/"(unread|status|reason)"/.test(text) && (await read()));
  return {
    status: answer.status,
    first: text,
    stop: () => stop.abort(),
    /** All messages until the server ends it. */
    async ended(): Promise<string> {
      while (await read());
      return text;
    },
  };
}

const runWatch = (id: string) => `runs.watch?input=${encodeURIComponent(JSON.stringify({ id }))}`;
const lostRight = '"reason":"unauthorized"';

apiTest(
  "a change of role that leaves the right leaves the subscription open",
  async ({ api, make, deps }) => {
    const owner = await make.owner();
    const member = await make.member(owner.organizationId, "admin");
    const cookie = await api.sessionCookie(member.email);
    const id = await pendingRun(deps, make, owner);
    const [kept, lost] = [
      await watch(api, runWatch(id), { cookie }),
      await watch(api, runWatch(id), { cookie }),
    ];
    await changeRole(deps, owner, { userId: member.userId, role: "member" });
    await deps.db.pool.query(
      "UPDATE query_runs SET status = 'running', lease_worker = 'w', lease_until = now() WHERE id = $1",
      [id],
    );
    await deps.db.pool.query(
      "UPDATE query_runs SET status = 'completed', completed_at = now() WHERE id = $1",
      [id],
    );
    for (const { ended } of [kept, lost]) expect(await ended()).toContain('"status":"completed"');
  },
);

apiTest(
  "a person has a limited number of subscriptions open at once, in all apis",
  async ({ make, deps }) => {
    const settings = { MAX_SUBSCRIPTIONS: 2 };
    await using api = await startApi({ deps, settings });
    await using another = await startApi({ deps, settings });
    const owner = await make.owner();
    const cookie = await api.sessionCookie(owner.email);
    const open = (asked = api) => watch(asked, "notifications.watch", { cookie });
    const [first, second] = [await open(), await open(another)];
    expect([first.status, second.status]).toEqual([200, 200]);
    const refused = await open();
    expect(refused.first).toContain('"reason":"rate_limited"');
    expect(refused.first).toContain(
      "2 live subscriptions are open for this person. Close one, then try again.",
    );
    const stranger = await make.owner();
    const theirs = await watch(api, "notifications.watch", {
      cookie: await api.sessionCookie(stranger.email),
    });
    expect(theirs.first).toContain('"unread"');
    // A closed subscription frees its place.
    first.stop();
    for (let next = await open(); !next.first.includes('"unread"'); next = await open());
  },
);

apiTest(
  "a subscription that the server ends because it stops tells the client to reconnect",
  async ({ make, deps }) => {
    const owner = await make.owner();
    const api = await startApi({ deps });
    const cookie = await api.sessionCookie(owner.email);
    const paths = [runWatch(await pendingRun(deps, make, owner)), "notifications.watch"];
    const watching = await Promise.all(paths.map((path) => watch(api, path, { cookie })));
    const texts = Promise.all(watching.map(({ ended }) => ended()));
    await api[Symbol.asyncDispose]();
    for (const text of await texts) expect(text).toContain('"reason":"unavailable"');
  },
);

test("messages that were sent do not stay in memory while a subscription is open", async () => {
  setFlagsFromString("--expose-gc");
  const collectGarbage: () => void = runInNewContext("gc");
  const sent: WeakRef<object>[] = [];
  async function* messages() {
    for (;;) {
      const message = {};
      sent.push(new WeakRef(message));
      yield message;
    }
  }
  const { signal } = new AbortController();
  const open = whileAllowed(messages(), { signal, close: () => {} });
  for (let count = 0; count < 100; count++) await open.next();
  await setImmediate();
  collectGarbage();
  expect(sent).toHaveLength(100);
  // The latest may still be in a variable.
  expect(sent.filter((message) => message.deref()).length).toBeLessThan(3);
  await open.return(undefined);
});

// The last ones, because they move the time: sessions of others would expire too.
describe("an open subscription ends when", () => {
  apiTest("its key is revoked", async ({ api, make, makeKey, deps }) => {
    const owner = await make.owner();
    const { id, key } = await makeKey(owner);
    const path = runWatch(await pendingRun(deps, make, owner));
    const watching = await watch(api, path, { authorization: `Bearer ${key}` });
    await revokeKey(deps, owner, { id });
    expect(await watching.ended()).toContain(lostRight);
  });

  apiTest("its key expires", async ({ api, make, makeKey, deps, clock }) => {
    const owner = await make.owner();
    const expiresAt = new Date(clock.now().getTime() + 3_600_000).toISOString();
    const { key } = await makeKey(owner, { expiresAt });
    const path = runWatch(await pendingRun(deps, make, owner));
    const watching = await watch(api, path, { authorization: `Bearer ${key}` });
    await clock.advance(3_600_000);
    expect(await watching.ended()).toContain(lostRight);
  });

  apiTest("the key's owner is removed from the organization", async ({ api, make, makeKey, deps }) => {
    const owner = await make.owner();
    const member = await make.member(owner.organizationId);
    const { key } = await makeKey(member);
    const path = runWatch(await pendingRun(deps, make, owner));
    const watching = await watch(api, path, { authorization: `Bearer ${key}` });
    await removeMember(deps, owner, { userId: member.userId });
    expect(await watching.ended()).toContain(lostRight);
  });

  apiTest("its person signs out, whatever is watched", async ({ api, make, deps }) => {
    const owner = await make.owner();
    const cookie = await api.sessionCookie(owner.email);
    const path = runWatch(await pendingRun(deps, make, owner));
    const paths = [path, "notifications.watch"];
    const watching = await Promise.all(paths.map((watched) => watch(api, watched, { cookie })));
    await api.post("/api/auth/sign-out", {}, { cookie });
    for (const { ended } of watching) expect(await ended()).toContain(lostRight);
  });

  apiTest("its session expires", async ({ api, make, deps, clock }) => {
    const owner = await make.owner();
    const cookie = await api.sessionCookie(owner.email);
    const watching = await watch(api, runWatch(await pendingRun(deps, make, owner)), { cookie });
    await clock.advance(8 * 24 * 3_600_000);
    expect(await watching.ended()).toContain(lostRight);
  });

  apiTest("its person leaves the organization", async ({ api, make, deps }) => {
    const owner = await make.owner();
    const member = await make.member(owner.organizationId);
    const cookie = await api.sessionCookie(member.email);
    const watching = await watch(api, runWatch(await pendingRun(deps, make, owner)), { cookie });
    await leaveOrganization(deps, member);
    expect(await watching.ended()).toContain(lostRight);
  });

  apiTest("its session switches to another organization", async ({ api, make, deps }) => {
    const owner = await make.owner();
    const other = await make.organization();
    const createdAt = deps.clock.now();
    const { userId } = owner;
    await deps.db.prisma.member.create({
      data: { organizationId: other.organizationId, userId, role: "member", createdAt },
    });
    const cookie = await api.sessionCookie(owner.email);
    const watching = await watch(api, runWatch(await pendingRun(deps, make, owner)), { cookie });
    const { id: sessionId } = await deps.db.prisma.session.findFirstOrThrow({
      where: { userId },
      orderBy: { id: "desc" },
    });
    await switchOrganization(deps, { userId, sessionId }, { organizationId: other.organizationId });
    expect(await watching.ended()).toContain(lostRight);
  });
});
