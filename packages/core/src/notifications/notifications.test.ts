import { ListNotifications, newId } from "@querybell/domain";
import { describe, expect } from "vitest";
import { appError } from "../testing/app-error.ts";
import { dbTest } from "../testing/db-test.ts";
import { notify } from "../testing/notify.ts";
import { countUnread, listNotifications, markNotificationsRead, watchNotifications } from "./index.ts";

describe("notifications", () => {
  dbTest("are listed newest first, counted and marked read, each person's own", async ({ make, deps }) => {
    const [owner, stranger] = [await make.owner(), await make.owner()];
    const ids = [await notify(deps, owner), await notify(deps, owner, { failures: 3 })];
    const other = await notify(deps, stranger);
    const { items, nextCursor } = await listNotifications(deps, owner, ListNotifications.parse({}));
    expect(nextCursor).toBeUndefined();
    expect(items.map(({ id }) => id)).toEqual(ids.toReversed());
    expect(await countUnread(deps, owner)).toEqual({ count: 2 });
    expect(await markNotificationsRead(deps, owner, { ids: [ids[0] ?? "", other] })).toEqual({ count: 1 });
    const unread = await listNotifications(deps, owner, ListNotifications.parse({ unreadOnly: true }));
    expect(unread.items).toMatchObject([{ id: ids[1] }]);
    expect(await markNotificationsRead(deps, owner, { ids: "all" })).toEqual({ count: 0 });
    expect(await countUnread(deps, stranger)).toEqual({ count: 1 });
  });

  dbTest("of an organization that a session does not open are not shown", async ({ make, deps }) => {
    const owner = await make.owner();
    await notify(deps, owner);
    const { organizationId: id } = owner;
    await deps.db.prisma.organization.update({ where: { id }, data: { secondFactorFor: "everybody" } });
    expect(await listNotifications(deps, owner, ListNotifications.parse({}))).toEqual({ items: [] });
    expect(await countUnread(deps, owner)).toEqual({ count: 0 });
    const stopped = new AbortController();
    const news = watchNotifications(deps, owner, stopped.signal);
    expect((await news.next()).value).toEqual({ unread: 0, arrived: [] });
    stopped.abort();
    await deps.db.prisma.session.update({
      where: { id: owner.sessionId },
      data: { secondFactorAt: deps.clock.now() },
    });
    expect(await countUnread(deps, owner)).toEqual({ count: 1 });
  });

  dbTest("page by cursors that are of no use to anybody else", async ({ make, deps }) => {
    const [owner, stranger] = [await make.owner(), await make.owner()];
    const ids: string[] = [];
    for (const failures of [1, 3, 5]) ids.push(await notify(deps, owner, { failures }));
    const first = await listNotifications(deps, owner, ListNotifications.parse({ limit: 2 }));
    const cursor = first.nextCursor ?? "";
    const { items, ...rest } = await listNotifications(deps, owner, ListNotifications.parse({ cursor }));
    expect([...first.items, ...items].map(({ id }) => id)).toEqual(ids.toReversed());
    expect(rest).toEqual({});
    const ofUnread = ListNotifications.parse({ cursor, unreadOnly: true });
    await expect(listNotifications(deps, owner, ofUnread)).rejects.toEqual(appError("invalid_cursor"));
    const strangers = listNotifications(deps, stranger, ListNotifications.parse({ cursor }));
    await expect(strangers).rejects.toEqual(appError("invalid_cursor"));
  });

  dbTest("arrive live, each person's own, whatever the order of their ids", async ({ make, deps }) => {
    const [owner, stranger] = [await make.owner(), await make.owner()];
    await notify(deps, owner);
    const stopped = new AbortController();
    const news = watchNotifications(deps, owner, stopped.signal);
    expect((await news.next()).value).toEqual({ unread: 1, arrived: [] });
    await notify(deps, stranger);
    const lowerId = newId(deps.clock);
    const id = await notify(deps, owner, { failures: 3 });
    expect((await news.next()).value).toMatchObject({
      unread: 2,
      arrived: [{ id, detail: { failures: 3 } }],
    });
    // Its id was created before the other's, and its transaction committed after it.
    await notify(deps, owner, { failures: 4, id: lowerId });
    expect((await news.next()).value).toMatchObject({
      unread: 3,
      arrived: [{ id: lowerId, detail: { failures: 4 } }],
    });
    stopped.abort();
    expect(await news.next()).toMatchObject({ done: true });
  });
});
