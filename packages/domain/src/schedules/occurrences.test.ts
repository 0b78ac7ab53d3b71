import { describe, expect, test } from "vitest";
import { lastTime, nextTime, nextTimes } from "./occurrences.ts";

/** The times at which a schedule fires within an interval, in UTC and without seconds. */
function fires(cron: string, timeZone: string, [after, upTo]: readonly [string, string]): string[] {
  const times: string[] = [];
  let time = nextTime({ cron, timeZone }, new Date(after));
  while (time !== null && time <= new Date(upTo)) {
    times.push(time.toISOString().replace(":00.000Z", ""));
    time = nextTime({ cron, timeZone }, time);
  }
  return times;
}

describe("when the clock jumps forward", () => {
  test.each([
    ["America/New_York", "30 2 * * *", "2026-03-07T12:00Z", ["2026-03-08T07:00", "2026-03-09T06:30"]],
    ["Europe/Prague", "30 2 * * *", "2026-03-28T12:00Z", ["2026-03-29T01:00", "2026-03-30T00:30"]],
    ["Europe/Prague", "0 2,3 * * *", "2026-03-28T12:00Z", ["2026-03-29T01:00", "2026-03-30T00:00"]],
    ["Europe/Prague", "0 9 * * *", "2026-03-28T12:00Z", ["2026-03-29T07:00", "2026-03-30T07:00"]],
    ["Australia/Lord_Howe", "15 2 * * *", "2026-10-03T00:00Z", ["2026-10-03T15:30", "2026-10-04T15:15"]],
    ["Australia/Lord_Howe", "45 2 * * *", "2026-10-03T00:00Z", ["2026-10-03T15:45", "2026-10-04T15:45"]],
    ["America/Sao_Paulo", "0 0 * * *", "2018-11-03T12:00Z", ["2018-11-04T03:00", "2018-11-05T02:00"]],
    ["Africa/Cairo", "30 0 * * *", "2026-04-23T12:00Z", ["2026-04-23T22:00", "2026-04-24T21:30"]],
    ["Pacific/Apia", "0 9 * * *", "2011-12-29T00:00Z", ["2011-12-29T19:00", "2011-12-30T10:00"]],
    ["Asia/Kolkata", "30 2 * * *", "2026-03-28T12:00Z", ["2026-03-28T21:00", "2026-03-29T21:00"]],
    ["UTC", "30 2 * * *", "2026-03-28T12:00Z", ["2026-03-29T02:30", "2026-03-30T02:30"]],
  ])("in %s, %s fires once on that day", (timeZone, cron, after, times) => {
    const found = nextTimes({ cron, timeZone }, new Date(after), 2);
    expect(found).toEqual(times.map((time) => new Date(`${time}Z`)));
  });

  test("an interval fires no burst", () => {
    expect(fires("*/20 * * * *", "Europe/Prague", ["2026-03-29T00:30Z", "2026-03-29T01:20Z"])).toEqual([
      "2026-03-29T00:40",
      "2026-03-29T01:00",
      "2026-03-29T01:20",
    ]);
  });

  test("all that was skipped fires as one, right after the jump", () => {
    expect(fires("5,25,45 * * * *", "Europe/Prague", ["2026-03-29T00:30Z", "2026-03-29T01:10Z"])).toEqual([
      "2026-03-29T00:45",
      "2026-03-29T01:00",
      "2026-03-29T01:05",
    ]);
  });

  test("a whole day that an island skipped fires once, at its end", () => {
    expect(fires("0 * 30 12 *", "Pacific/Apia", ["2011-12-01T00:00Z", "2012-06-01T00:00Z"])).toEqual([
      "2011-12-30T10:00",
    ]);
  });
});

describe("when the clock jumps back", () => {
  test.each([
    ["America/New_York", "30 1 * * *", "2026-10-31T12:00Z", ["2026-11-01T05:30", "2026-11-02T06:30"]],
    ["Europe/Prague", "30 2 * * *", "2026-10-24T12:00Z", ["2026-10-25T00:30", "2026-10-26T01:30"]],
    ["Europe/Prague", "0 3 * * *", "2026-10-24T12:00Z", ["2026-10-25T02:00", "2026-10-26T02:00"]],
    ["Australia/Lord_Howe", "45 1 * * *", "2026-04-04T00:00Z", ["2026-04-04T14:45", "2026-04-05T15:15"]],
    ["America/Sao_Paulo", "30 23 * * *", "2018-02-17T12:00Z", ["2018-02-18T01:30", "2018-02-19T02:30"]],
    ["Asia/Kolkata", "30 1 * * *", "2026-10-24T12:00Z", ["2026-10-24T20:00", "2026-10-25T20:00"]],
    ["UTC", "30 1 * * *", "2026-10-24T12:00Z", ["2026-10-25T01:30", "2026-10-26T01:30"]],
  ])("in %s, %s fires the first time only", (timeZone, cron, after, times) => {
    const found = nextTimes({ cron, timeZone }, new Date(after), 2);
    expect(found).toEqual(times.map((time) => new Date(`${time}Z`)));
  });

  test.each(["*/30 * * * *", "0/30 * * * *", "*/30 2-3 * * *", "0,30 * * * *"])("%s goes on", (cron) => {
    expect(fires(cron, "Europe/Prague", ["2026-10-24T23:59Z", "2026-10-25T02:00Z"])).toEqual([
      "2026-10-25T00:00",
      "2026-10-25T00:30",
      "2026-10-25T01:00",
      "2026-10-25T01:30",
      "2026-10-25T02:00",
    ]);
  });

  test("asked within the repeated hour, a fixed time waits for the next day", () => {
    const schedule = { cron: "30 2 * * *", timeZone: "Europe/Prague" };
    expect(nextTime(schedule, new Date("2026-10-25T01:10Z"))).toEqual(new Date("2026-10-26T01:30Z"));
  });
});

test.each([
  ["2027-03-01T00:00Z", "2028-02-29T12:00Z"],
  ["2028-02-29T12:00Z", "2032-02-29T12:00Z"],
  ["2096-02-29T12:00Z", "2104-02-29T12:00Z"],
])("after %s the next 29 February is %s", (after, next) => {
  expect(nextTime({ cron: "0 12 29 2 *", timeZone: "UTC" }, new Date(after))).toEqual(new Date(next));
});

test("the day of the month or the day of the week, when both leave days out", () => {
  const days = (cron: string) =>
    fires(cron, "UTC", ["2026-11-30T23:59Z", "2026-12-16T00:00Z"]).map((time) => Number(time.slice(8, 10)));
  expect(days("0 0 1,15 * mon")).toEqual([1, 7, 14, 15]);
  expect(days("0 0 1,15 * *")).toEqual([1, 15]);
  expect(days("0 0 * * mon")).toEqual([7, 14]);
  expect(days("0 0 1-31 * 7")).toEqual([6, 13]);
});

test("an occurrence is later than the moment asked about", () => {
  const schedule = { cron: "0 9 * * *", timeZone: "Europe/Prague" };
  const nine = new Date("2026-11-15T08:00:00.000Z");
  expect(nextTime(schedule, new Date(nine.getTime() - 1))).toEqual(nine);
  expect(nextTime(schedule, nine)).toEqual(new Date("2026-11-16T08:00Z"));
});

test("a schedule that never fires has no times", () => {
  const never = { cron: "0 0 30 2 *", timeZone: "UTC" };
  const after = new Date("2026-01-01T00:00Z");
  expect(nextTime(never, after)).toBeNull();
  expect(nextTimes(never, after, 3)).toEqual([]);
  expect(lastTime(never, { after, upTo: new Date("2027-01-01T00:00Z") })).toBeNull();
});

test.each([
  ["*/5 * * * *", "2026-11-15T10:03Z", "2026-11-15T10:00Z"],
  ["*/5 * * * *", "2026-11-15T10:05Z", "2026-11-15T10:05Z"],
  ["0 12 29 2 *", "2026-11-15T10:03Z", null],
  ["30 2 * * *", "2026-03-29T23:00Z", "2026-03-29T01:00Z"],
  ["* * * 1-6 *", "2026-11-15T10:03Z", "2026-06-30T21:59Z"],
])("after a year of downtime the last time of %s up to %s is %s", (cron, upTo, last) => {
  const window = { after: new Date("2025-11-15T10:00Z"), upTo: new Date(upTo) };
  expect(lastTime({ cron, timeZone: "Europe/Prague" }, window)).toEqual(last && new Date(last));
});

test("a window without an occurrence has no last time", () => {
  const hourly = { cron: "0 * * * *", timeZone: "UTC" };
  const ten = new Date("2026-11-15T10:00Z");
  expect(lastTime(hourly, { after: ten, upTo: new Date("2026-11-15T10:59Z") })).toBeNull();
  expect(lastTime(hourly, { after: ten, upTo: ten })).toBeNull();
  expect(lastTime(hourly, { after: ten, upTo: new Date("2026-11-14T10:00Z") })).toBeNull();
});

test("a month of a five-minute schedule fires as often as its real hours hold, over the change of clocks", () => {
  const month = fires("*/5 * * * *", "Europe/Prague", ["2026-10-01T00:00Z", "2026-11-01T00:00Z"]);
  expect(month).toHaveLength(31 * 24 * 12);
});
