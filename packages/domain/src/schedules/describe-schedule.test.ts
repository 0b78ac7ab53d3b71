import { expect, test } from "vitest";
import { describeSchedule } from "./describe-schedule.ts";

test.each([
  ["0 9 * * *", "every day at 09:00 in Europe/Prague"],
  ["@daily", "every day at 00:00 in Europe/Prague"],
  ["0 9,17 * * 1-5", "from Monday to Friday at 09:00 and 17:00 in Europe/Prague"],
  ["30 8 * * mon,wed,fri", "on Monday, Wednesday and Friday at 08:30 in Europe/Prague"],
  ["0 6 * * sun", "on Sunday at 06:00 in Europe/Prague"],
  ["0 6 1 * *", "on day 1 of the month at 06:00 in Europe/Prague"],
  ["0 6 1,15 * *", "on days 1 and 15 of the month at 06:00 in Europe/Prague"],
  ["0 0 29 2 *", "on 29 February at 00:00 in Europe/Prague"],
  ["* * * * *", "every minute in Europe/Prague"],
  ["*/5 * * * *", "every 5 minutes in Europe/Prague"],
  ["0,15,30,45 * * * 1-5", "every 15 minutes from Monday to Friday in Europe/Prague"],
  ["30 * * * *", "every hour at minute 30 in Europe/Prague"],
  ["0 */6 * * *", "every 6 hours from 00:00 in Europe/Prague"],
  ["0 9 1 * mon", null],
  ["*/7 * * * *", null],
  ["*/5 9-17 * * *", null],
  ["0 9 * 1-6 *", null],
])("%s is %s", (cron, words) => {
  expect(describeSchedule({ cron, timeZone: "Europe/Prague" })).toBe(words);
});
