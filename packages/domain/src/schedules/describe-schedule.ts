import { type Cron, parseCron } from "./cron.ts";
import type { Schedule } from "./schedule.ts";

const days = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const months = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
];
const minutesInDay = 24 * 60;
const maxListed = 4;

let format: Intl.ListFormat | undefined;
/** "a, b and c". The first format takes 40 ms to make, and most processes never describe a schedule. */
const listed = (items: readonly string[]): string => {
  format ??= new Intl.ListFormat("en-GB", { type: "conjunction" });
  return format.format(items);
};
const ascending = (numbers: ReadonlySet<number>) => [...numbers].sort((a, b) => a - b);

/** A schedule in words, "every day at 09:00 in Europe/Prague"; null for one without a short description. */
export function describeSchedule({ cron: text, timeZone }: Schedule): string | null {
  const cron = parseCron(text);
  const [interval, times, when] = [intervalOf(cron), timesOf(cron), daysOf(cron)];
  if (when === null) return null;
  if (interval !== null) return [interval, when, `in ${timeZone}`].filter((part) => part !== "").join(" ");
  return times && `${when || "every day"} ${times} in ${timeZone}`;
}

/** For times that are equally far apart all day long. */
function intervalOf({ minutesOfDay }: Cron): string | null {
  const [first = 0] = minutesOfDay;
  const gap = minutesInDay / minutesOfDay.length;
  if (gap === minutesInDay || minutesOfDay.some((minute, i) => minute !== first + i * gap)) return null;
  if (gap === 1) return "every minute";
  if (gap === 60) return `every hour at minute ${first}`;
  if (first > 0) return null;
  return gap < 60 ? `every ${gap} minutes` : `every ${gap / 60} hours from 00:00`;
}

function timesOf({ minutesOfDay }: Cron): string | null {
  if (minutesOfDay.length > maxListed) return null;
  const twoDigits = (number: number) => String(number).padStart(2, "0");
  const times = minutesOfDay.map(
    (minute) => `${twoDigits(Math.floor(minute / 60))}:${twoDigits(minute % 60)}`,
  );
  return `at ${listed(times)}`;
}

/** Empty for every day. */
function daysOf({ months: ofYear, daysOfMonth, daysOfWeek, eitherDay }: Cron): string | null {
  if (eitherDay) return null;
  const [numbers, weekdays] = [ascending(daysOfMonth), ascending(daysOfWeek)];
  if (ofYear.size < months.length) {
    const [day, month] = [numbers[0], months[(ascending(ofYear)[0] ?? 1) - 1]];
    const isDate = ofYear.size === 1 && numbers.length === 1 && weekdays.length === days.length;
    return isDate ? `on ${day} ${month}` : null;
  }
  if (numbers.length < 31) {
    if (numbers.length > maxListed) return null;
    return `on ${numbers.length === 1 ? "day" : "days"} ${listed(numbers.map(String))} of the month`;
  }
  if (weekdays.length === days.length) return "";
  if (weekdays.join() === "1,2,3,4,5") return "from Monday to Friday";
  return `on ${listed(weekdays.map((day) => days[day] ?? ""))}`;
}
