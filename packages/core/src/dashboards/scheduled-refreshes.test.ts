import { type Caller, CreatePublicLink, ListNotifications } from "@querybell/domain";
import { describe, expect } from "vitest";
import { archiveItems } from "../library/index.ts";
import { removeMember } from "../members/index.ts";
import { listNotifications } from "../notifications/index.ts";
import { updateSettings } from "../organizations/index.ts";
import { createPublicLink, updatePublishedPage } from "../public-links/index.ts";
import { updateQuery } from "../queries/index.ts";
import { dbTest } from "../testing/db-test.ts";
import { queuedMailsTo } from "../testing/queued-mails.ts";
import {
  cancelRefresh,
  getDashboard,
  getRefresh,
  noteEndedRefreshes,
  refreshDashboard,
  refreshDueDashboards,
  updateDashboard,
} from "./index.ts";
import { executeRefresh, makeDashboard } from "./testing/make-dashboard.ts";

const hour = 3_600_000;
const hourly = { cron: "0 * * * *", timeZone: "Europe/Berlin" };

const test = dbTest
  // No schedule of another test fires in this one.
  .extend("unscheduled", { auto: true }, async ({ deps }) => {
    await deps.db.pool.query("UPDATE dashboards SET next_refresh_at = NULL, scheduled_refresh_id = NULL");
  })
  .extend("board", { scope: "file" }, ({ deps, make, clock }) => async (...statements: string[]) => {
    const owner = await make.owner();
    const { id: databaseId } = await make.database(owner);
    const { id, charts } = await makeDashboard(deps, owner, {
      analyticalDatabaseConfigId: databaseId,
      statements,
    });
    /** The refreshes so far, oldest first. */
    const refreshes = () =>
      deps.db.prisma.dashboardRefresh.findMany({ where: { dashboardId: id }, orderBy: { createdAt: "asc" } });
    return {
      ...{ owner, id, charts, databaseId, refreshes },
      schedule: (caller: Caller = owner) =>
        updateDashboard(deps, caller, { id, autoRefresh: { schedule: hourly, onOpenSeconds: null } }),
      /** An hour passes, and the refresh of the schedule runs to its end. */
      async passHour() {
        await clock.advance(hour);
        const refreshed = await refreshDueDashboards(deps);
        const last = (await refreshes()).at(-1);
        if (last) await executeRefresh(deps, last.id);
        await noteEndedRefreshes(deps);
        return refreshed;
      },
      notifications: async (someone: Parameters<typeof listNotifications>[1]) =>
        (await listNotifications(deps, someone, ListNotifications.parse({}))).items,
    };
  });

describe("a schedule", () => {
  test("refreshes once at each time, whoever looks, and once for all missed times", async ({
    deps,
    board,
    clock,
  }) => {
    const { owner, id, schedule, refreshes, passHour } = await board("SELECT 1", "SELECT 2");
    await schedule();
    const next = async () => Date.parse((await getDashboard(deps, owner, { id })).nextRefreshAt ?? "");
    const first = await next();
    expect(first).toBeGreaterThan(clock.now().getTime());
    expect(first % hour).toBe(0);
    expect(await refreshDueDashboards(deps)).toEqual({ started: 0, failed: 0 });

    await clock.advance(first - clock.now().getTime());
    const both = await Promise.all([refreshDueDashboards(deps), refreshDueDashboards(deps)]);
    expect(both.map(({ started }) => started).sort()).toEqual([0, 1]);
    const [refresh] = await refreshes();
    expect(refresh).toMatchObject({ createdBy: owner.userId, runsTotal: 2 });
    expect(await next()).toBe(first + hour);
    await executeRefresh(deps, refresh?.id ?? "");
    expect((await getDashboard(deps, owner, { id })).instants).toHaveLength(1);

    await clock.advance(5 * hour);
    expect(await passHour()).toEqual({ started: 1, failed: 0 });
    expect(await refreshes()).toHaveLength(2);
    expect(await next()).toBeGreaterThan(clock.now().getTime());

    await updateDashboard(deps, owner, { id, autoRefresh: { schedule: null, onOpenSeconds: null } });
    expect(await passHour()).toEqual({ started: 0, failed: 0 });
    expect(await getDashboard(deps, owner, { id })).toMatchObject({ nextRefreshAt: null });
  });

  test("follows its own refresh while that is unfinished, and rests in the archive", async ({
    deps,
    board,
    clock,
  }) => {
    const { owner, id, schedule, refreshes, passHour } = await board("SELECT 1");
    await schedule();
    await clock.advance(hour);
    await refreshDueDashboards(deps);
    await clock.advance(hour);
    await refreshDueDashboards(deps);
    expect(await refreshes()).toHaveLength(1);
    const item = { kind: "dashboard", id } as const;
    await archiveItems(deps, owner, { items: [item], isArchived: true });
    expect(await passHour()).toEqual({ started: 0, failed: 0 });
    expect(await getDashboard(deps, owner, { id })).toMatchObject({ nextRefreshAt: null });
    await archiveItems(deps, owner, { items: [item], isArchived: false });
    expect(await passHour()).toEqual({ started: 1, failed: 0 });
  });

  test("tells of the first failure, and again only after a success", async ({ deps, board }) => {
    const { owner, id, charts, schedule, passHour, notifications } = await board("SELECT 1", "SELECT 2");
    const second = charts[1]?.queryId ?? "";
    const failing = { id: second, sql: "SELECT * FROM nowhere" };
    const shown = async () => (await getDashboard(deps, owner, { id })).refreshFailure;
    await schedule();
    await updateQuery(deps, owner, failing);
    await passHour();
    expect(await shown()).toBe("1 of 2 queries failed. Their tiles say why.");
    await passHour();
    const detail = { dashboardId: id, title: "Sums", reason: await shown() };
    expect(await notifications(owner)).toMatchObject([{ kind: "dashboard_refresh_failed", detail }]);
    const mails = async () => (await queuedMailsTo(deps, owner.email)).map(({ subject }) => subject);
    expect(await mails()).toEqual(["Sums: the refresh failed"]);

    await updateQuery(deps, owner, { id: second, sql: "SELECT 2" });
    await passHour();
    expect(await shown()).toBeNull();
    await updateQuery(deps, owner, failing);
    await passHour();
    expect(await notifications(owner)).toHaveLength(2);
  });

  test("is not failing because somebody cancels a refresh", async ({ deps, board, clock }) => {
    const { owner, id, schedule, refreshes } = await board("SELECT 1");
    await schedule();
    await clock.advance(hour);
    await refreshDueDashboards(deps);
    const [refresh] = await refreshes();
    expect(await noteEndedRefreshes(deps), "it has not ended").toBe(0);
    await cancelRefresh(deps, owner, { id: refresh?.id ?? "" });
    expect(await noteEndedRefreshes(deps)).toBe(0);
    expect(await getDashboard(deps, owner, { id })).toMatchObject({ refreshFailure: null });
  });

  test("has the rights of the member who saved it last", async ({ deps, board, make }) => {
    const { owner, id, schedule, refreshes, passHour, notifications } = await board("SELECT 1");
    const member = await make.member(owner.organizationId);
    await schedule(member);
    await passHour();
    expect((await refreshes()).map(({ createdBy }) => createdBy)).toEqual([member.userId]);
    await removeMember(deps, owner, { userId: member.userId });
    expect(await passHour()).toEqual({ started: 0, failed: 1 });
    expect((await getDashboard(deps, owner, { id })).refreshFailure).toMatch(/Save the schedule again/);
    expect(await notifications(owner)).toHaveLength(1);
    await schedule(owner);
    expect(await passHour()).toEqual({ started: 1, failed: 0 });
    expect((await refreshes()).at(-1)).toMatchObject({ createdBy: owner.userId });
  });

  test("brings a public page up to date that follows newer results", async ({ deps, board }) => {
    const { owner, id, schedule, passHour } = await board("SELECT 1");
    await updateSettings(deps, owner, { publicLinks: true });
    const item = { kind: "dashboard", id };
    const following = await createPublicLink(deps, owner, CreatePublicLink.parse({ item }));
    const fixed = await createPublicLink(deps, owner, CreatePublicLink.parse({ item, isFollowing: false }));
    await schedule();
    await passHour();
    const outcomes = [];
    for (const link of [following, fixed])
      outcomes.push(await updatePublishedPage(deps, { linkId: link.id }));
    expect(outcomes).toEqual(["replaced", "not wanted any more"]);
  });
});

describe("opening a dashboard that is older than it may be", () => {
  test("starts one refresh for everybody, and none while it is new", async ({ deps, board, make, clock }) => {
    const { owner, id, refreshes } = await board("SELECT 1", "SELECT 2");
    const member = await make.member(owner.organizationId);
    const onOpen = { id, maxAgeSeconds: 600 };
    const isOutdated = async () => (await getDashboard(deps, member, { id })).isOutdated;
    expect(await isOutdated(), "it is not asked for").toBe(false);
    await updateDashboard(deps, owner, { id, autoRefresh: { schedule: null, onOpenSeconds: 600 } });
    expect(await isOutdated()).toBe(true);
    const started = await Promise.all(
      [owner, member, owner, member].map((caller) => refreshDashboard(deps, caller, onOpen)),
    );
    expect(new Set(started.map((refresh) => refresh.id)).size).toBe(1);
    expect(await isOutdated(), "it is being refreshed").toBe(false);
    const [refresh] = await refreshes();
    await executeRefresh(deps, refresh?.id ?? "");
    await clock.advance(599_000);
    expect(await isOutdated()).toBe(false);
    expect(await refreshDashboard(deps, member, onOpen)).toMatchObject({ id: refresh?.id });
    await clock.advance(2_000);
    expect(await isOutdated()).toBe(true);
    expect(await refreshDashboard(deps, member, onOpen)).not.toMatchObject({ id: refresh?.id });
    // Whoever asks for a refresh gets one of their own.
    expect(await refreshDashboard(deps, owner, { id })).toMatchObject({ startedBy: owner.userId });
    expect(await refreshes()).toHaveLength(3);
  });

  test("takes no refresh without one of its charts, and none with rows of somebody else", async ({
    deps,
    board,
    make,
  }) => {
    const { owner, id, charts } = await board("SELECT 1", "SELECT 2");
    const member = await make.member(owner.organizationId);
    const all = (await getDashboard(deps, owner, { id })).content;
    const [tab] = all.tabs;
    if (!tab) expect.unreachable();
    const one = { ...all, tabs: [{ ...tab, tiles: tab.tiles.slice(0, 1) }] };
    await updateDashboard(deps, owner, { id, content: one });
    const partial = await refreshDashboard(deps, owner, { id });
    await executeRefresh(deps, partial.id);
    await updateDashboard(deps, owner, { id, content: all });
    const whole = await refreshDashboard(deps, member, { id, maxAgeSeconds: 600 });
    expect(whole.id).not.toBe(partial.id);
    expect(await getRefresh(deps, member, whole)).toMatchObject({ runsTotal: 2 });
    await executeRefresh(deps, whole.id);

    await updateQuery(deps, owner, { id: charts[0]?.queryId ?? "", sql: "SELECT {{user_email}}" });
    const mine = await refreshDashboard(deps, owner, { id, maxAgeSeconds: 600 });
    await executeRefresh(deps, mine.id);
    const theirs = await refreshDashboard(deps, member, { id, maxAgeSeconds: 600 });
    expect(theirs.id).not.toBe(mine.id);
    expect(theirs.id, "it is of the query before").not.toBe(whole.id);
    expect(theirs.startedBy).toBe(member.userId);
  });
});
