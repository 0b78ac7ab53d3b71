import type { AutomationId, Caller } from "@querybell/domain";
import { describe, expect } from "vitest";
import { closeDeps, openDeps } from "../open-deps.ts";
import { dbTest } from "../testing/index.ts";
import { expandSchedules, getAutomation, updateAutomation } from "./index.ts";

const minute = 60_000;
const hour = 60 * minute;

const test = dbTest
  .extend("travel", { scope: "file" }, ({ clock }) => {
    /** Moves the time of this process and of the database to a moment, in either direction. */
    return (moment: string | number) => clock.advance(new Date(moment).getTime() - clock.now().getTime());
  })
  // No schedule of another test fires in this one.
  .extend("paused", { auto: true }, async ({ deps }) => {
    await deps.db.pool.query("UPDATE automations SET enabled = false, next_run_at = NULL");
  })
  .extend("schedules", { scope: "file" }, ({ deps, make }) => {
    const scheduled = (owner: Caller, cron: string, timeZone: string) =>
      make.automation(owner, { schedule: { cron, timeZone } });
    /** What has fired since, as ISO 8601; the runs end, so that no queue fills. */
    const fired = async ({ id }: AutomationId): Promise<string[]> => {
      await endRuns(deps);
      const rows = await deps.db.prisma.automationRun.findMany({
        where: { automationId: id },
        orderBy: { scheduledFor: "asc" },
      });
      return rows.map(({ scheduledFor }) => scheduledFor?.toISOString() ?? "");
    };
    return { make: scheduled, fired };
  });

type Deps = Parameters<typeof expandSchedules>[0];

const endRuns = ({ db }: Pick<Deps, "db">) =>
  db.pool.query(`
    UPDATE automation_runs SET status = 'failed', completed_at = now(), failure_code = 'stopped',
      failure_reason = 'stopped' WHERE status = 'pending'`);

describe("a daily schedule fires once on every day, where clocks change too", () => {
  const days: [zone: string, cron: string, from: string, expected: string[]][] = [
    // 02:30 does not exist on the day of the change: it fires right after the jump.
    [
      "Europe/Berlin",
      "30 2 * * *",
      "2027-03-27T00:00:00Z",
      ["2027-03-27T01:30:00.000Z", "2027-03-28T01:00:00.000Z", "2027-03-29T00:30:00.000Z"],
    ],
    // It comes twice, and counts once.
    [
      "Europe/Berlin",
      "30 2 * * *",
      "2027-10-30T00:00:00Z",
      ["2027-10-30T00:30:00.000Z", "2027-10-31T00:30:00.000Z", "2027-11-01T01:30:00.000Z"],
    ],
    [
      "America/New_York",
      "30 2 * * *",
      "2027-03-13T00:00:00Z",
      ["2027-03-13T07:30:00.000Z", "2027-03-14T07:00:00.000Z", "2027-03-15T06:30:00.000Z"],
    ],
    [
      "America/New_York",
      "30 1 * * *",
      "2027-11-06T00:00:00Z",
      ["2027-11-06T05:30:00.000Z", "2027-11-07T05:30:00.000Z", "2027-11-08T06:30:00.000Z"],
    ],
    // Half an hour, in the south.
    [
      "Australia/Lord_Howe",
      "15 2 * * *",
      "2027-10-02T00:00:00Z",
      ["2027-10-02T15:30:00.000Z", "2027-10-03T15:15:00.000Z", "2027-10-04T15:15:00.000Z"],
    ],
    [
      "Asia/Kolkata",
      "0 9 * * *",
      "2027-03-28T00:00:00Z",
      ["2027-03-28T03:30:00.000Z", "2027-03-29T03:30:00.000Z", "2027-03-30T03:30:00.000Z"],
    ],
  ];
  test.for(days)(
    "%s, %s from %s",
    async ([zone, cron, from, expected], { deps, make, travel, schedules }) => {
      await travel(from);
      const automation = await schedules.make(await make.owner(), cron, zone);
      for (let passed = 0; passed < 72; passed++) {
        await travel(new Date(from).getTime() + passed * hour);
        await expandSchedules(deps);
        await travel(new Date(from).getTime() + passed * hour + 30 * minute);
        await expandSchedules(deps);
        await endRuns(deps);
      }
      expect(await schedules.fired(automation)).toEqual(expected);
    },
  );
});

test("a schedule on the 29th of February waits for the next leap year", async ({
  deps,
  make,
  travel,
  schedules,
}) => {
  await travel("2027-02-01T00:00:00Z");
  const owner = await make.owner();
  const automation = await schedules.make(owner, "0 0 29 2 *", "UTC");
  expect(automation.nextRunAt).toBe("2028-02-29T00:00:00.000Z");
  await travel("2027-03-01T00:00:00Z");
  await expandSchedules(deps);
  expect(await schedules.fired(automation)).toEqual([]);
  await travel("2028-02-29T00:00:10Z");
  await expandSchedules(deps);
  expect(await schedules.fired(automation)).toEqual(["2028-02-29T00:00:00.000Z"]);
  expect(await getAutomation(deps, owner, automation)).toMatchObject({
    nextRunAt: "2032-02-29T00:00:00.000Z",
  });
});

describe("after a downtime", () => {
  test("one run replaces all missed ones", async ({ deps, make, travel, schedules }) => {
    await travel("2027-05-01T00:00:00Z");
    const owner = await make.owner();
    const automation = await schedules.make(owner, "*/5 * * * *", "UTC");
    await travel("2027-05-04T07:08:00Z");
    expect(await expandSchedules(deps)).toEqual({ triggered: 1, skipped: 0 });
    expect(await expandSchedules(deps)).toEqual({ triggered: 0, skipped: 0 });
    expect(await schedules.fired(automation)).toEqual(["2027-05-04T07:05:00.000Z"]);
    expect(await getAutomation(deps, owner, automation)).toMatchObject({
      nextRunAt: "2027-05-04T07:10:00.000Z",
    });
  });

  test("what was missed while paused is not made up for", async ({ deps, make, travel, schedules }) => {
    await travel("2027-06-01T00:00:00Z");
    const owner = await make.owner();
    const automation = await schedules.make(owner, "0 9 * * *", "UTC");
    await updateAutomation(deps, owner, { id: automation.id, enabled: false });
    await travel("2027-06-03T12:00:00Z");
    expect(await expandSchedules(deps)).toEqual({ triggered: 0, skipped: 0 });
    const enabled = await updateAutomation(deps, owner, { id: automation.id, enabled: true });
    expect(enabled.nextRunAt).toBe("2027-06-04T09:00:00.000Z");
    expect(await schedules.fired(automation)).toEqual([]);
  });
});

describe("saving a schedule", () => {
  test("as it was keeps the time that is due", async ({ deps, make, travel, schedules }) => {
    await travel("2027-06-10T00:00:00Z");
    const owner = await make.owner();
    const automation = await schedules.make(owner, "0 9 * * *", "UTC");
    await travel("2027-06-10T09:00:10Z");
    const { id, schedule, enabled } = automation;
    await updateAutomation(deps, owner, { id, name: "Renamed", schedule, enabled });
    expect(await expandSchedules(deps)).toEqual({ triggered: 1, skipped: 0 });
    expect(await schedules.fired(automation)).toEqual(["2027-06-10T09:00:00.000Z"]);
  });

  test("with a clock that is behind the database's fires no time twice", async ({
    deps,
    make,
    travel,
    schedules,
  }) => {
    await travel("2027-06-20T00:00:00Z");
    const owner = await make.owner();
    const automation = await schedules.make(owner, "0 9 * * *", "UTC");
    await travel("2027-06-20T09:00:01Z");
    await expandSchedules(deps);
    const slow = { ...deps, clock: { now: () => new Date("2027-06-20T08:59:59Z") } };
    const schedule = { cron: "00 9 * * *", timeZone: "UTC" };
    const saved = await updateAutomation(slow, owner, { id: automation.id, schedule });
    expect(saved.nextRunAt).toBe("2027-06-20T09:00:00.000Z");
    expect(await expandSchedules(deps)).toEqual({ triggered: 0, skipped: 0 });
    expect(await getAutomation(deps, owner, automation)).toMatchObject({
      nextRunAt: "2027-06-21T09:00:00.000Z",
      lastSkippedAt: null,
    });
    expect(await schedules.fired(automation)).toEqual(["2027-06-20T09:00:00.000Z"]);
  });
});

test("a time at which the automation is busy is passed over, if it says so", async ({
  deps,
  make,
  travel,
}) => {
  await travel("2027-07-01T00:00:00Z");
  const owner = await make.owner();
  const schedule = { cron: "0 * * * *", timeZone: "UTC" };
  const automation = await make.automation(owner, { schedule, whenBusy: "refuse" });
  await travel("2027-07-01T01:00:00Z");
  expect(await expandSchedules(deps)).toEqual({ triggered: 1, skipped: 0 });
  await travel("2027-07-01T02:00:00Z");
  expect(await expandSchedules(deps)).toEqual({ triggered: 0, skipped: 1 });
  expect(await getAutomation(deps, owner, automation)).toMatchObject({
    lastSkippedAt: "2027-07-01T02:00:00.000Z",
    nextRunAt: "2027-07-01T03:00:00.000Z",
  });
  await endRuns(deps);
});

test("a schedule that can no longer be read keeps no other waiting", async ({
  deps,
  make,
  travel,
  schedules,
}) => {
  await travel("2027-08-01T00:00:00Z");
  const owner = await make.owner();
  const broken = await schedules.make(owner, "0 * * * *", "UTC");
  const sound = await schedules.make(owner, "0 * * * *", "UTC");
  const schedule = { cron: "0 * * * *", timeZone: "Europe/Atlantis" };
  await deps.db.prisma.automation.update({ where: { id: broken.id }, data: { schedule } });
  await travel("2027-08-01T01:00:00Z");
  await expect(expandSchedules(deps)).rejects.toThrow("Some schedules could not be expanded.");
  expect(await schedules.fired(sound)).toEqual(["2027-08-01T01:00:00.000Z"]);
});

test("every five minutes of a day on which clocks change fire once each with three workers", async ({
  deps,
  make,
  settings,
  clock,
  travel,
  onError,
  schedules,
}) => {
  // From midnight to midnight in Berlin: 23 hours.
  const from = Date.parse("2027-03-27T23:00:00Z");
  await travel(from - 1);
  const automation = await schedules.make(await make.owner(), "*/5 * * * *", "Europe/Berlin");
  const others = [openDeps({ settings, clock, onError }), openDeps({ settings, clock, onError })];
  for (let passed = 0; passed < 23 * hour; passed += 5 * minute) {
    await travel(from + passed);
    const expanded = await Promise.all([deps, ...others].map((worker) => expandSchedules(worker)));
    expect(expanded.reduce((sum, { triggered }) => sum + triggered, 0)).toBe(1);
    await endRuns(deps);
  }
  expect(await schedules.fired(automation)).toHaveLength(23 * 12);
  for (const worker of others) await closeDeps(worker);
});

test("schedules are expanded for every organization in turn", async ({ deps, make, clock }) => {
  const schedule = { cron: "0 * * * *", timeZone: "UTC" };
  const [flood, quiet] = [await make.owner(), await make.owner()];
  for (const owner of [flood, flood, flood, quiet]) await make.automation(owner, { schedule });
  await clock.advance(3_600_000);
  expect(await expandSchedules(deps)).toEqual({ triggered: 4, skipped: 0 });
  const { rows } = await deps.db.pool.query(
    `SELECT organization_id FROM automation_runs WHERE organization_id = ANY($1) ORDER BY xmin::text::bigint`,
    [[flood.organizationId, quiet.organizationId]],
  );
  const [a, b] = [flood.organizationId, quiet.organizationId];
  expect(rows.map(({ organization_id }) => organization_id)).toEqual([a, b, a, a]);
});
