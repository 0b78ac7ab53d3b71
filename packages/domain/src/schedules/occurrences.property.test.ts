import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { lastTime, nextTime, nextTimes } from "./occurrences.ts";

const minuteMs = 60_000;

/** Days around changes of clocks, and quiet ones. */
const windows = [
  ["America/New_York", "2026-03-07T00:00Z"],
  ["America/New_York", "2026-10-31T00:00Z"],
  ["Europe/Prague", "2026-03-28T00:00Z"],
  ["Europe/Prague", "2026-10-24T00:00Z"],
  ["Australia/Lord_Howe", "2026-04-03T00:00Z"],
  ["Australia/Lord_Howe", "2026-10-02T00:00Z"],
  ["America/Sao_Paulo", "2018-02-17T00:00Z"],
  ["America/Sao_Paulo", "2018-11-03T00:00Z"],
  ["America/St_Johns", "2010-11-06T00:00Z"],
  ["Africa/Cairo", "2026-04-22T12:00Z"],
  ["Pacific/Apia", "2011-12-29T00:00Z"],
  ["Asia/Kolkata", "2028-02-28T00:00Z"],
  ["UTC", "2026-12-31T00:00Z"],
] as const;

/** What the wall clock shows in every minute of three days. */
const wallClocks = windows.map(([timeZone, start]) => {
  const format = new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "short" });
  const first = Date.parse(start);
  const walls = Array.from({ length: 3 * 24 * 60 }, (_, i) =>
    Date.parse(`${format.format(first + i * minuteMs).replace(" ", "T")}Z`),
  );
  return { timeZone, first, walls };
});

const field = (min: number, max: number) => {
  const number = fc.integer({ min, max });
  const range = fc.tuple(number, number).map(([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`);
  const part = fc.oneof(number.map(String), range);
  return fc.oneof(
    fc.constant("*"),
    fc.integer({ min: 1, max: Math.min(20, max - min) }).map((step) => `*/${step}`),
    fc.tuple(range, fc.integer({ min: 1, max: max - min })).map(([bounds, step]) => `${bounds}/${step}`),
    fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => parts.join(",")),
  );
};
const anyDay = { weight: 3, arbitrary: fc.constant("*") };
const cron = fc
  .tuple(
    field(0, 59),
    fc.oneof(field(0, 23), field(0, 4)),
    fc.oneof(anyDay, { weight: 1, arbitrary: field(1, 31) }),
    fc.oneof(anyDay, { weight: 1, arbitrary: field(1, 12) }),
    fc.oneof(
      anyDay,
      { weight: 1, arbitrary: field(0, 6) },
      { weight: 1, arbitrary: fc.constantFrom("7", "5-7") },
    ),
  )
  .map((fields) => fields.join(" "));

/** The numbers that a field matches, found by testing each number. */
function numbersOf(text: string, [min, max]: readonly [number, number]): Set<number> {
  const all = Array.from({ length: max - min + 1 }, (_, i) => min + i);
  const named = all.filter((value) =>
    text.split(",").some((part) => {
      const [bounds = "", step = "1"] = part.split("/");
      const [from = 0, to = from] = bounds === "*" ? [min, max] : bounds.split("-").map(Number);
      return value >= from && value <= to && (value - from) % Number(step) === 0;
    }),
  );
  return new Set(named);
}

function matcherOf(text: string): (wallMs: number) => boolean {
  const [minute = "", hour = "", day = "", month = "", weekday = ""] = text.split(" ");
  const [minutes, hours] = [numbersOf(minute, [0, 59]), numbersOf(hour, [0, 23])];
  const [days, months] = [numbersOf(day, [1, 31]), numbersOf(month, [1, 12])];
  const weekdays = numbersOf(weekday.replace("5-7", "0,5,6").replace("7", "0"), [0, 6]);
  const either = days.size < 31 && weekdays.size < 7;
  return (wallMs) => {
    const wall = new Date(wallMs);
    const [ofMonth, ofWeek] = [days.has(wall.getUTCDate()), weekdays.has(wall.getUTCDay())];
    return (
      minutes.has(wall.getUTCMinutes()) &&
      hours.has(wall.getUTCHours()) &&
      months.has(wall.getUTCMonth() + 1) &&
      (either ? ofMonth || ofWeek : ofMonth && ofWeek)
    );
  };
}

/** The same rule, minute by minute: times that the clock shows, shows again, or skips. */
function slowTimes(cron: string, { first, walls }: { first: number; walls: number[] }): number[] {
  const isInterval = cron.split(" ").slice(0, 2).join().match(/[*/]/) !== null;
  const matches = matcherOf(cron);
  const shown = new Set<number>();
  return walls.flatMap((wall, i) => {
    const candidates = shown.has(wall) && !isInterval ? [] : [wall];
    const before = walls[i - 1] ?? wall;
    for (let skipped = before + minuteMs; skipped < wall; skipped += minuteMs) candidates.push(skipped);
    shown.add(wall);
    return candidates.some(matches) ? [first + i * minuteMs] : [];
  });
}

const cases = fc.record({ cron, clock: fc.constantFrom(...wallClocks) });

describe("any schedule", () => {
  test("fires when a slow model, going minute by minute, says so", () => {
    fc.assert(
      fc.property(cases, ({ cron, clock }) => {
        const end = clock.first + clock.walls.length * minuteMs;
        const expected = slowTimes(cron, clock);
        const schedule = { cron, timeZone: clock.timeZone };
        const times = nextTimes(schedule, new Date(clock.first - 1), expected.length + 1);
        expect(times.map(Number).filter((time) => time < end)).toEqual(expected);
      }),
      { numRuns: 60 },
    );
  });

  test("fires at increasing times, each of which is the next one right before it", () => {
    fc.assert(
      fc.property(cases, fc.integer({ min: 0, max: 4 * 365 * 24 * 3_600_000 }), ({ cron, clock }, later) => {
        const schedule = { cron, timeZone: clock.timeZone };
        const after = new Date(clock.first + later);
        let before = after.getTime();
        for (const time of nextTimes(schedule, after, 5)) {
          expect(time.getTime()).toBeGreaterThan(before);
          expect(nextTime(schedule, new Date(time.getTime() - 1))).toEqual(time);
          before = time.getTime();
        }
      }),
    );
  });

  test("has the last time that going from one to the next would find", () => {
    fc.assert(
      fc.property(cases, fc.nat(40), fc.nat(100), ({ cron, clock }, count, percent) => {
        const schedule = { cron, timeZone: clock.timeZone };
        const after = new Date(clock.first);
        const times = nextTimes(schedule, after, count + 1);
        const last = times[count - 1] ?? null;
        const from = (last ?? after).getTime();
        const quiet = (times[count]?.getTime() ?? from + 1) - 1 - from;
        const upTo = new Date(from + Math.floor((quiet * percent) / 100));
        expect(lastTime(schedule, { after, upTo })).toEqual(last);
      }),
    );
  });
});
