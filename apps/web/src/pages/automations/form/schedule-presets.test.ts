import { expect, test } from "vitest";
import { fromSchedule, toSchedule } from "./schedule-presets.ts";

test.for([
  ["hourly", "30 * * * *"],
  ["daily", "0 9 * * *"],
  ["weekdays", "15 7 * * 1-5"],
  ["weekly", "5 18 * * 0"],
  ["monthly", "0 6 15 * *"],
  ["cron", "*/5 9-17 * * mon"],
  ["cron", "@daily"],
  ["cron", "0 9 * * 7"],
] as const)("%s: %s is shown and saved as it was", ([preset, cron]) => {
  const schedule = { cron, timeZone: "Europe/Prague" };
  const shown = fromSchedule(schedule, "UTC");
  expect(shown.preset).toBe(preset);
  expect(toSchedule(shown)).toEqual(schedule);
});

test("no schedule is on demand, with a sensible first choice behind it", () => {
  const shown = fromSchedule(null, "Asia/Tokyo");
  expect(toSchedule(shown)).toBeNull();
  expect(toSchedule({ ...shown, preset: "daily" })).toEqual({ cron: "0 9 * * *", timeZone: "Asia/Tokyo" });
});
