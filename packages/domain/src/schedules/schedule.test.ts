import { expect, test } from "vitest";
import { Schedule } from "./schedule.ts";

const complaint = (cron: string, timeZone = "UTC") =>
  Schedule.safeParse({ cron, timeZone })
    .error?.issues.map(({ message }) => message)
    .join(" ");

test.each([
  "* * * * *",
  "*/5 * * * *",
  "0 9 * * mon-fri",
  "0 9 * * MON,Wed,7",
  "0 9 * * fri-sun",
  "0 9 * * 5-7",
  "15,45 8-18/2 1-7 jan,jul *",
  "5/15 * * * *",
  "*/59 */23 * * *",
  "  0\t9  * * *  ",
  "0 0 29 2 *",
  "0 0 30 2 1",
  "@daily",
  "@Hourly",
])("takes %s", (cron) => {
  expect(complaint(cron)).toBeUndefined();
});

test.each([
  ["61 * * * *", 'The minute (1st field) cannot be "61": give a number from 0 to 59, a list (0,2), a range'],
  ["-1 * * * *", 'The minute (1st field) cannot be "": give'],
  ["0 24 * * *", 'The hour (2nd field) cannot be "24": give a number from 0 to 23,'],
  ["0 0 0 * *", 'The day of the month (3rd field) cannot be "0": give a number from 1 to 31,'],
  ["0 0 L * *", 'The day of the month (3rd field) cannot be "l"'],
  ["0 0 * 13 *", 'The month (4th field) cannot be "13": give a number from 1 to 12 or jan to dec,'],
  ["0 0 * * 8", 'The day of the week (5th field) cannot be "8": give a number from 0 to 6 or sun to sat,'],
  ["0 0 * * monday", 'The day of the week (5th field) cannot be "monday"'],
  ["1,,2 * * * *", 'The minute (1st field) cannot be ""'],
  ["1-2-3 * * * *", 'The minute (1st field) cannot be "1-2-3"'],
  ["*/2/3 * * * *", 'The minute (1st field) cannot be "*/2/3"'],
  ["1e1 * * * *", 'The minute (1st field) cannot be "1e1"'],
  ["0 22-2 * * *", "Write it as two ranges: 22-23,0-2."],
  ["0 0 * * fri-mon", "Write it as two ranges: fri-6,0-mon."],
  ["*/0 * * * *", 'The minute (1st field) has the step "0"'],
  ["*/90 * * * *", "give a number from 1 to 59."],
  [
    "*/60 * * * *",
    'has the step "60", and steps start over with every new round: give a number from 1 to 59.',
  ],
  ["0 */24 * * *", "give a number from 1 to 23."],
  ["* * * *", "Give five fields, separated by spaces: minute, hour,"],
  ["0 * * * * *", "Give five fields"],
  ["", "Give five fields"],
  ["constructor", "Give five fields"],
  ["@reboot", '"@reboot" is no alias. Give one of @hourly, @daily,'],
  ["0 0 30 2 *", '"0 0 30 2 *" never fires: none of its months has such a day.'],
  ["0 0 31 feb,apr,jun,sep,nov *", "never fires"],
])("refuses %j and says what to do", (cron, sentence) => {
  expect(complaint(cron)).toContain(sentence);
});

test.each(["UTC", "Europe/Prague", "europe/prague", "Asia/Kolkata", "Asia/Calcutta", "US/Eastern"])(
  "takes the time zone %s",
  (timeZone) => {
    expect(complaint("@daily", timeZone)).toBeUndefined();
  },
);

test.each([
  ["Europe/Pragu", "Did you mean Europe/Prague?"],
  ["Rmoe", "Did you mean Europe/Rome?"],
  ["Prague", "Did you mean Europe/Prague?"],
  ["new york", "Did you mean America/New_York?"],
  ["America/New York", "Did you mean America/New_York?"],
  ["Europe/Berlín", "Did you mean Europe/Berlin?"],
  ["+02:00", "Give an IANA name like Europe/Prague"],
  ["", "Give an IANA name like Europe/Prague"],
  ["Mars/Olympus_Mons_Base", "Give an IANA name like Europe/Prague"],
])("refuses the time zone %j: %s", (timeZone, sentence) => {
  expect(complaint("@daily", timeZone)).toBe(`"${timeZone}" is no time zone known here. ${fullOf(sentence)}`);
});

const fullOf = (sentence: string) =>
  sentence.startsWith("Give") ? `${sentence}, America/New_York or UTC.` : sentence;
