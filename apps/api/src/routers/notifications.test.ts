import type { Caller } from "@querybell/domain";
import { newId } from "@querybell/domain";
import { describe, expect } from "vitest";
import { apiTest } from "../testing/api-test.ts";

const notificationTest = apiTest.extend("notify", { scope: "file" }, ({ deps }) => {
  return async ({ userId, organizationId }: Caller, failures = 1, id = newId(deps.clock)) => {
    const detail = { endpointId: newId(deps.clock), url: "https://hooks.example.com/", failures };
    await deps.db.transaction(async (tx) => {
      await tx.notification.create({
        data: {
          id,
          userId,
          organizationId,
          kind: "webhook_endpoint_failing",
          detail,
          createdAt: deps.clock.now(),
        },
      });
      await tx.$queryRaw`SELECT pg_notify('querybell_notifications', ${userId})::text`;
    });
    return id;
  };
});

describe("notifications", () => {
  notificationTest(
    "are listed newest first, counted and marked read, each person's own",
    async ({ api, make, notify }) => {
      const [owner, stranger] = [await make.owner(), await make.owner()];
      const ids = [await notify(owner, 1), await notify(owner, 3)];
      const other = await notify(stranger);
      const client = await api.signedIn(owner);
      const { items, nextCursor } = await client.notifications.list.query({});
      expect(nextCursor).toBeUndefined();
      expect(items.map(({ id }) => id)).toEqual(ids.toReversed());
      expect(await client.notifications.unread.query()).toEqual({ count: 2 });
      expect(await client.notifications.markRead.mutate({ ids: [ids[0] ?? "", other] })).toEqual({
        count: 1,
      });
      const unread = await client.notifications.list.query({ unreadOnly: true });
      expect(unread.items).toMatchObject([{ id: ids[1] }]);
      expect(await client.notifications.markRead.mutate({ ids: "all" })).toEqual({ count: 0 });
      const strangers = await api.signedIn(stranger);
      expect(await strangers.notifications.unread.query()).toEqual({ count: 1 });
    },
  );

  notificationTest("page by cursors that are of no use to anybody else", async ({ api, make, notify }) => {
    const [owner, stranger] = [await make.owner(), await make.owner()];
    const ids = [await notify(owner, 1), await notify(owner, 3), await notify(owner, 5)];
    const client = await api.signedIn(owner);
    const first = await client.notifications.list.query({ limit: 2 });
    const cursor = first.nextCursor ?? "";
    const { items, ...rest } = await client.notifications.list.query({ cursor });
    expect([...first.items, ...items].map(({ id }) => id)).toEqual(ids.toReversed());
    expect(rest).toEqual({});
    const invalid = { data: { code: "BAD_REQUEST" } };
    await expect(client.notifications.list.query({ cursor, unreadOnly: true })).rejects.toMatchObject(
      invalid,
    );
    const strangers = await api.signedIn(stranger);
    await expect(strangers.notifications.list.query({ cursor })).rejects.toMatchObject(invalid);
  });

  notificationTest("arrive live over server-sent events", async ({ api, make, notify, deps }) => {
    const [owner, stranger] = [await make.owner(), await make.owner()];
    await notify(owner);
    const cookie = await api.sessionCookie(owner.email);
    const stopped = new AbortController();
    const answer = await api.fetch("/api/trpc/notifications.watch", {
      headers: { cookie, accept: "text/event-stream" },
      signal: stopped.signal,
    });
    expect(answer.headers.get("content-type")).toContain("text/event-stream");
    const news = readEvents(answer);
    expect((await news.next()).value).toEqual({ unread: 1, arrived: [] });
    await notify(stranger);
    const lowerId = newId(deps.clock);
    const id = await notify(owner, 3);
    expect((await news.next()).value).toMatchObject({
      unread: 2,
      arrived: [{ id, detail: { failures: 3 } }],
    });
    // Its id was created before the other's, and its transaction committed after it.
    await notify(owner, 4, lowerId);
    expect((await news.next()).value).toMatchObject({
      unread: 3,
      arrived: [{ id: lowerId, detail: { failures: 4 } }],
    });
    stopped.abort();
  });

  notificationTest("are for people alone, not for keys", async ({ api, make, makeKey }) => {
    const { key } = await makeKey(await make.owner());
    await expect(api.withKey(key).notifications.unread.query()).rejects.toThrow(/Sign in/);
  });
});

/** The data of each message that is one of ours, as the browser's EventSource would give it. */
async function* readEvents(answer: Response): AsyncGenerator<unknown> {
  let text = "";
  for await (const chunk of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk;
    const messages = text.split("\n\n");
    text = messages.pop() ?? "";
    for (const message of messages) {
      const data = message.match(/^data: (.*)$/m)?.[1];
      if (data && !/^event: /m.test(message)) yield JSON.parse(data);
    }
  }
}
