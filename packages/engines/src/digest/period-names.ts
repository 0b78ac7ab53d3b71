import type { Period, Periods, Unit } from "./periods.ts";
import { figurePhrase, type Phrase, phrase } from "./phrase.ts";
import { type Day, monthName } from "./written-day.ts";

/** "October", "15 November 2025", "Q3", "the week of 9 November", "2025": with the year unless it is this one. */
export function periodName(
  { column, unit }: Periods,
  { start, cell, rows }: Period,
  thisYear: number,
): Phrase {
  const written = writePeriod(start, unit, thisYear);
  const name = figurePhrase(written, {
    result: "now",
    ...(rows.length === 1
      ? { rows: rows.map((row) => row + 1) }
      : { where: [{ column, operator: "equals" as const, value: cell }] }),
    column,
    operation: "value",
  });
  return unit === "week" ? phrase`the week of ${name}` : name;
}

/** "in October", "on 15 November" */
export const inPeriod = (periods: Periods, period: Period, thisYear: number): Phrase =>
  phrase`${periods.unit === "day" ? "on" : "in"} ${periodName(periods, period, thisYear)}`;

function writePeriod({ year, month, day }: Day, unit: Unit, thisYear: number): string {
  const withYear = (text: string) => (year === thisYear ? text : `${text} ${year}`);
  switch (unit) {
    case "year":
      return String(year);
    case "quarter":
      return withYear(`Q${Math.ceil(month / 3)}`);
    case "month":
      return withYear(monthName(month));
    case "week":
    case "day":
      return withYear(`${day} ${monthName(month)}`);
  }
}
