import type { Unit } from "../../digest/periods.ts";
import type { Day } from "../../digest/written-day.ts";
import { joined, type Written, write } from "../written.ts";
import type { Subject, Wording } from "./wording.ts";

const months = "January February March April May June July August September October November December".split(
  " ",
);
const units: Record<Unit, string> = {
  day: "day",
  week: "week",
  month: "month",
  quarter: "quarter",
  year: "year",
};
const counted = (count: string, noun: string) => `${count} ${noun}${count === "1" ? "" : "s"}`;

function period(unit: Unit, { year, month, day }: Day): string {
  const monthName = months[month - 1] ?? "";
  switch (unit) {
    case "year":
      return String(year);
    case "quarter":
      return `Q${Math.ceil(month / 3)} ${year}`;
    case "month":
      return `${monthName} ${year}`;
    case "week":
      return `the week of ${day} ${monthName} ${year}`;
    case "day":
      return `${day} ${monthName} ${year}`;
  }
}

function head({ operation, label, isNumber }: Subject): string {
  switch (operation) {
    case "value":
      return label;
    case "total":
      return /^"?(?:total|sum)\b/i.test(label) ? label : `total ${label}`;
    case "average":
      return `average ${label}`;
    case "smallest":
      return `the ${isNumber ? "lowest" : "earliest"} ${ofMany(label)}`;
    case "largest":
      return `the ${isNumber ? "highest" : "latest"} ${ofMany(label)}`;
  }
}

/** What rows are ordered by. */
function ranked({ operation, label, ...subject }: Subject): string {
  if (operation === "smallest") return `minimum ${label}`;
  return operation === "largest" ? `maximum ${label}` : head({ operation, label, ...subject });
}

/** Whether a verb after this name is in the plural. */
const isPluralName = (name: string): boolean => /[^sui]s"?$/i.test(name);

/** "the highest value of orders is", because "the highest orders is" has two numbers. */
const ofMany = (label: string): string => (isPluralName(label) ? `value of ${label}` : label);

const takesPlural = ({ operation, label }: Subject): boolean =>
  (operation === "value" || operation === "total") && isPluralName(label);

const aboveOrBelow = {
  "=": "",
  "!=": "other than",
  "<": "below",
  "<=": "of at most",
  ">": "above",
  ">=": "of at least",
};
const beforeOrAfter = { "!=": "other than", "<": "before", "<=": "up to", ">": "after", ">=": "from" };
const verb = { up: "rose", down: "fell", same: "did not change" };

const compared = (of: Written): Written => write`, compared with the value${of}`;

export const english: Wording = {
  language: "en",
  numbers: { point: ".", group: "," },
  percent: (number) => `${number}%`,
  points: (number) => `${number} points`,
  trueOrFalse: String,
  listed: (items) => joined(items, ", ", " and "),
  and: "and",
  colon: ":",
  period,
  inPeriod: (unit, start) => ` ${unit === "day" ? "on" : "in"} ${period(unit, start)}`,
  soFar: " so far",
  countedUnits: (unit, count) => counted(count, units[unit]),
  partOfUnits: (unit, count, all) => `${count} of ${counted(all, units[unit])}`,
  ofUnits: (unit, count) => counted(count, units[unit]),
  forName: (name) => write` for ${name}`,
  withValue: (label, comparator, value) =>
    comparator === "="
      ? write` for ${label} ${value}`
      : write` with ${label} ${aboveOrBelow[comparator]} ${value}`,
  withDate: (label, comparator, name) =>
    write` with ${label} ${beforeOrAfter[comparator]} ${name}${comparator === ">=" ? " on" : ""}`,
  inFirstRows: (count) => ` in the first ${count === "1" ? "row" : `${count} rows`}`,
  subject: head,
  comparedWith: compared,
  inThisRun: " in this run",
  inLastRun: " in the last run",
  sinceLastRun: " since the last run",
  inTitle: (title) => `in ${title}, `,
  bySqlOfModel: "by SQL of the model, ",
  figure: (subject, value, { isPast, rowCount }) => {
    const is = takesPlural(subject) ? (isPast ? "were" : "are") : isPast ? "was" : "is";
    const rows = rowCount === null ? "" : ` (${counted(rowCount, "row")})`;
    return write`${head(subject)}${subject.where} ${is} ${value}${rows}`;
  },
  versus: ({ direction, size, isSlight, of, value }) => {
    const than = direction === "same" ? "the same as" : `${direction === "up" ? "more" : "less"} than`;
    const by = direction === "same" ? "" : isSlight ? "slightly " : write`${size} `;
    return write`${by}${than}${of}${value && write` (${value})`}`;
  },
  change: ({ subject, direction, size, from, to, fromWhere, toWhere }) =>
    direction === "same"
      ? write`${head(subject)}${subject.where} did not change: ${to}${fromWhere} and${toWhere}`
      : write`${head(subject)}${subject.where} ${verb[direction]} by ${size} from ${from}${fromWhere} to ${to}${toWhere}`,
  changedText: ({ subject, from, to, since }) =>
    write`${head(subject)}${subject.where} changed from ${from} to ${to}${since}`,
  share: ({ name, label, where, percent, part, whole }) =>
    write`${name} has ${percent} of total ${label}${where} (${part} of ${whole})`,
  extreme: ({ isTop, names, subject, value }) => {
    const which = isTop ? "highest" : "lowest";
    const what = ranked(subject);
    const [only, second] = names;
    return only && !second
      ? write`${only} has the ${which} ${what}${subject.where}, ${value}`
      : write`the ${which} ${ofMany(what)}${subject.where} is ${value}, for ${joined(names, ", ", " and ")}`;
  },
  ranking: ({ isTop, count, subject, items }) =>
    write`the ${count} ${isTop ? "highest" : "lowest"} values of ${ranked(subject)}${subject.where} are ${joined(items, ", ", " and ")}`,
  rank: ({ name, rank, of, subject, value }) =>
    write`${name} is number ${rank} of ${of} by ${ranked(subject)}${subject.where} (highest first), with ${value}`,
  list: ({ subject, comparedWith, items }) =>
    write`${head(subject)}${subject.where}${comparedWith && compared(comparedWith)}: ${joined(items, ", ", " and ")}`,
  columns: ({ where, comparedWith, items }) =>
    write`values${where}${comparedWith && compared(comparedWith)}: ${joined(items, ", ", " and ")}`,
  movers: ({ subject, isAll, isOfBothRuns, items }) =>
    write`the ${isAll ? "only" : "biggest"} ${items.length === 1 ? "change" : "changes"} in ${subject.label} ${isOfBothRuns ? "in rows of both runs" : "since the last run"}: ${joined(
      items.map(({ name, by, to }) => write`${name} ${by} to ${to}`),
      ", ",
      " and ",
    )}`,
  count: ({ count, isOne, isNone, where, all }) => {
    const rows = isNone ? write`no rows` : write`${count} ${isOne ? "row" : "rows"}`;
    return write`there ${isOne ? "is" : "are"} ${rows}${where}${all === null ? "" : ` (of ${all})`}`;
  },
  distinct: ({ count, isOne, label, where }) =>
    isOne
      ? write`there is only 1 value of ${label}${where}`
      : write`there are ${count} different values of ${label}${where}`,
  groups: ({ label, where, items }) => write`rows by ${label}${where}: ${joined(items, ", ", " and ")}`,
  empty: ({ label, count, all, where }) =>
    write`${label} ${isPluralName(label) ? "are" : "is"} empty in ${count} of ${counted(all, "row")}${where}`,
  onlyFirstRows: (count) =>
    write`only the first ${count.text === "1" ? "row" : write`${count} rows`} could be read`,
  newRows: (names) => write`new since the last run: ${joined(names, ", ", " and ")}`,
  goneRows: (names) => write`gone since the last run: ${joined(names, ", ", " and ")}`,
  someNewRows: (count, isOne, example) =>
    write`${count} ${isOne ? "row is" : "rows are"} new since the last run${example && write`, such as ${example}`}`,
  someGoneRows: (count, isOne, example) =>
    write`${count} ${isOne ? "row is" : "rows are"} gone since the last run${example && write`, such as ${example}`}`,
  noNewRows: "no row is new since the last run",
  noGoneRows: "no row is gone since the last run",
  nothingChanged: "nothing has changed since the last run",
  otherColumns: "the columns are not the same as in the last run",
  otherRows: "some rows are not the same as in the last run",
  changedRows: ({ added, gone, changed }) =>
    write`rows since the last run: ${added} new, ${gone} gone, ${changed} changed`,
  covers: ({ first, last, counted: units }) => write`the rows cover ${first} to ${last} (${units})`,
  latest: (name) => write`the latest rows are of ${name}`,
  noRowsSince: (name) => write`there are no rows since ${name}`,
  gaps: (names, more) =>
    write`there are no rows for ${joined(names, ", ", more === null ? " and " : ", ")}${more === null ? "" : ` and ${more} more`}`,
  noGaps: (unit, first, last) => write`no ${units[unit]} is missing from ${first} to ${last}`,
  read: (titles) => `The results that were read: ${titles.join(", ")}.`,
  result: "result",
};
