import type { Unit } from "../../digest/periods.ts";
import type { Day } from "../../digest/written-day.ts";
import { joined, replaceStart, type Written, write } from "../written.ts";
import type { FigureOperation, Subject, Wording } from "./wording.ts";

const months = "Januar Februar März April Mai Juni Juli August September Oktober November Dezember".split(
  " ",
);
const units: Record<Unit, [string, string]> = {
  day: ["Tag", "Tage"],
  week: ["Woche", "Wochen"],
  month: ["Monat", "Monate"],
  quarter: ["Quartal", "Quartale"],
  year: ["Jahr", "Jahre"],
};
/** After "von". */
const unitsDative: Record<Unit, string> = {
  day: "Tagen",
  week: "Wochen",
  month: "Monaten",
  quarter: "Quartalen",
  year: "Jahren",
};
const counted = (unit: Unit, count: string) => `${count} ${units[unit][count === "1" ? 0 : 1]}`;

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
      return `die Woche vom ${day}. ${monthName} ${year}`;
    case "day":
      return `der ${day}. ${monthName} ${year}`;
  }
}

/** The name of a period with an inflected article. Days have "der", weeks "die", and others none. */
const inflected = (name: Written, day: string, week: string): Written =>
  replaceStart(replaceStart(name, "der ", `${day} `), "die ", `${week} `);
const accusative = (name: Written): Written => inflected(name, "den", "die");
const dative = (name: Written): Written => inflected(name, "dem", "der");
/** "vom 5. Oktober 2026", "von Oktober 2026" */
const from = (name: Written): Written => prefixed("von", inflected(name, "vom", "von der"));
const until = (name: Written): Written => prefixed("bis", inflected(name, "bis zum", "bis zur"));
const prefixed = (word: string, name: Written): Written =>
  name.text.startsWith(word.slice(0, 2)) ? name : write`${word} ${name}`;

const inPeriod = (unit: Unit, start: Day): string => {
  const name = period(unit, start);
  switch (unit) {
    case "year":
      return ` im Jahr ${name}`;
    case "quarter":
      return ` in ${name}`;
    case "month":
      return ` im ${name}`;
    case "week":
      return ` in ${name.replace("die ", "der ")}`;
    case "day":
      return ` ${name.replace("der ", "am ")}`;
  }
};

const heads: Record<FigureOperation, string> = {
  value: "der Wert von",
  total: "die Summe von",
  average: "der Durchschnitt von",
  smallest: "der niedrigste Wert von",
  largest: "der höchste Wert von",
};
/** What rows are ordered by, in the singular and in the plural. */
const ranked: Record<FigureOperation, [string, string]> = {
  value: ["Wert", "Werte"],
  total: ["Summe", "Summen"],
  average: ["Durchschnitt", "Durchschnitte"],
  smallest: ["Minimalwert", "Minimalwerte"],
  largest: ["Maximalwert", "Maximalwerte"],
};
const head = ({ operation, label, isNumber }: Subject): string => {
  if (!isNumber && operation === "smallest") return `der früheste Wert von ${label}`;
  if (!isNumber && operation === "largest") return `der späteste Wert von ${label}`;
  return `${heads[operation]} ${label}`;
};
const best = (isTop: boolean, { operation, label }: Subject): string =>
  operation === "total"
    ? `die ${isTop ? "höchste" : "niedrigste"} Summe von ${label}`
    : `den ${isTop ? "höchsten" : "niedrigsten"} ${ranked[operation][0]} von ${label}`;
const rankedBy = ({ operation, label }: Subject): string =>
  operation === "value" ? `bei ${label}` : `nach ${ranked[operation][0]} von ${label}`;
const comparators = {
  "=": "",
  "!=": "ungleich",
  "<": "unter",
  "<=": "von höchstens",
  ">": "über",
  ">=": "von mindestens",
};
const dateComparators = { "!=": "außer", "<": "vor", "<=": "bis", ">": "nach", ">=": "ab" };
const listed = (items: Parameters<Wording["listed"]>[0]) => joined(items, ", ", " und ");
const isOrAmounts = (isNumber: boolean, isPast: boolean) =>
  isNumber ? (isPast ? "betrug" : "beträgt") : isPast ? "war" : "ist";

const compared = (of: Written): Written => write`, verglichen mit dem Wert${of}`;

export const german: Wording = {
  language: "de",
  numbers: { point: ",", group: "." },
  percent: (number) => `${number} %`,
  points: (number) => `${number} Punkte`,
  trueOrFalse: (value) => (value ? "wahr" : "falsch"),
  listed,
  and: "und",
  colon: ":",
  period,
  inPeriod,
  soFar: " (bisher)",
  countedUnits: counted,
  partOfUnits: (unit, count, all) => `${count} von ${all} ${unitsDative[unit]}`,
  ofUnits: (unit, count) => `${count} ${unitsDative[unit]}`,
  forName: (name) => write` für ${name}`,
  withValue: (label, comparator, value) =>
    comparator === "="
      ? write` für ${label} ${value}`
      : write` mit ${label} ${comparators[comparator]} ${value}`,
  withDate: (label, comparator, name) =>
    comparator === "<="
      ? write` mit ${label} ${until(name)}`
      : write` mit ${label} ${dateComparators[comparator]} ${dative(name)}`,
  inFirstRows: (count) => (count === "1" ? " in der ersten Zeile" : ` in den ersten ${count} Zeilen`),
  subject: head,
  comparedWith: compared,
  inThisRun: " in diesem Lauf",
  inLastRun: " im letzten Lauf",
  sinceLastRun: " seit dem letzten Lauf",
  inTitle: (title) => `zu ${title}: `,
  bySqlOfModel: "laut SQL des Modells: ",
  figure: (subject, value, { isPast, rowCount }) => {
    const rows = rowCount === null ? "" : ` (${rowCount} ${rowCount === "1" ? "Zeile" : "Zeilen"})`;
    return write`${head(subject)}${subject.where} ${isOrAmounts(subject.isNumber, isPast)} ${value}${rows}`;
  },
  versus: ({ direction, size, isSlight, of, value }) => {
    const than = direction === "same" ? "gleich viel wie" : `${direction === "up" ? "mehr" : "weniger"} als`;
    const by = direction === "same" ? "" : isSlight ? "geringfügig " : write`${size} `;
    return write`${by}${than}${of}${value && write` (${value})`}`;
  },
  change: ({ subject, direction, size, from, to, fromWhere, toWhere }) =>
    direction === "same"
      ? write`${head(subject)}${subject.where} blieb gleich: ${to}${fromWhere} und${toWhere}`
      : write`${head(subject)}${subject.where} ${direction === "up" ? "stieg" : "fiel"} um ${size} von ${from}${fromWhere} auf ${to}${toWhere}`,
  changedText: ({ subject, from, to, since }) =>
    write`${head(subject)}${subject.where} änderte sich${since} von ${from} zu ${to}`,
  share: ({ name, label, where, percent, part, whole }) =>
    write`auf ${accusative(name)} entfallen ${percent} der Summe von ${label}${where} (${part} von ${whole})`,
  extreme: ({ isTop, names, subject, value }) => {
    const [only, second] = names;
    return only && !second
      ? write`${only} hat ${best(isTop, subject)}${subject.where}: ${value}`
      : write`${best(isTop, subject)}${subject.where} haben ${listed(names)}: ${value}`;
  },
  ranking: ({ isTop, count, subject, items }) =>
    write`die ${count} ${isTop ? "höchsten" : "niedrigsten"} ${ranked[subject.operation][1]} von ${subject.label}${subject.where} haben ${listed(items)}`,
  rank: ({ name, rank, of, subject, value }) =>
    write`${name} liegt ${rankedBy(subject)}${subject.where} auf Platz ${rank} von ${of} (höchster Wert zuerst), mit ${value}`,
  list: ({ subject, comparedWith, items }) =>
    write`${head(subject)}${subject.where}${comparedWith && compared(comparedWith)}: ${listed(items)}`,
  columns: ({ where, comparedWith, items }) =>
    write`Werte${where}${comparedWith && compared(comparedWith)}: ${listed(items)}`,
  movers: ({ subject, isAll, isOfBothRuns, items }) =>
    write`die ${isAll ? "einzig" : "größt"}${items.length === 1 ? "e Änderung" : "en Änderungen"} von ${subject.label} ${isOfBothRuns ? "in Zeilen beider Läufe" : "seit dem letzten Lauf"}: ${listed(
      items.map(({ name, by, to }) => write`${name} ${by} auf ${to}`),
    )}`,
  count: ({ count, isOne, isNone, where, all }) => {
    const rows = isNone ? write`keine Zeilen` : write`${count} ${isOne ? "Zeile" : "Zeilen"}`;
    return write`es gibt ${rows}${where}${all === null ? "" : ` (von ${all})`}`;
  },
  distinct: ({ count, isOne, label, where }) =>
    isOne
      ? write`es gibt nur 1 Wert von ${label}${where}`
      : write`es gibt ${count} verschiedene Werte von ${label}${where}`,
  groups: ({ label, where, items }) => write`Zeilen nach ${label}${where}: ${listed(items)}`,
  empty: ({ label, count, all, where }) => write`${label} ist in ${count} von ${all} Zeilen${where} leer`,
  onlyFirstRows: (count) =>
    count.text === "1"
      ? write`nur die erste Zeile konnte gelesen werden`
      : write`nur die ersten ${count} Zeilen konnten gelesen werden`,
  newRows: (names) => write`neue Zeilen seit dem letzten Lauf: ${listed(names)}`,
  goneRows: (names) => write`weggefallene Zeilen seit dem letzten Lauf: ${listed(names)}`,
  someNewRows: (count, isOne, example) =>
    write`${count} ${isOne ? "Zeile ist" : "Zeilen sind"} neu seit dem letzten Lauf${example && write`, zum Beispiel ${example}`}`,
  someGoneRows: (count, isOne, example) =>
    write`${count} ${isOne ? "Zeile ist" : "Zeilen sind"} seit dem letzten Lauf weggefallen${example && write`, zum Beispiel ${example}`}`,
  noNewRows: "keine Zeile ist neu seit dem letzten Lauf",
  noGoneRows: "keine Zeile ist seit dem letzten Lauf weggefallen",
  nothingChanged: "seit dem letzten Lauf hat sich nichts geändert",
  otherColumns: "die Spalten sind nicht dieselben wie im letzten Lauf",
  otherRows: "einige Zeilen sind nicht dieselben wie im letzten Lauf",
  changedRows: ({ added, gone, changed }) =>
    write`seit dem letzten Lauf: ${added} neue, ${gone} weggefallene und ${changed} geänderte Zeilen`,
  covers: ({ first, last, counted: units }) =>
    write`die Zeilen reichen ${from(first)} ${until(last)} (${units})`,
  latest: (name) => write`die neuesten Zeilen sind ${from(name)}`,
  noRowsSince: (name) => write`es gibt keine Zeilen seit ${dative(name)}`,
  gaps: (names, more) =>
    write`es gibt keine Zeilen für ${more === null ? listed(names.map(accusative)) : write`${joined(names.map(accusative), ", ")} und weitere ${more}`}`,
  noGaps: (unit, first, last) =>
    write`${from(first)} ${until(last)} fehlt kein${unit === "week" ? "e" : ""} ${units[unit][0]}`,
  read: (titles) => `Gelesene Ergebnisse: ${titles.join(", ")}.`,
  result: "Ergebnis",
};
