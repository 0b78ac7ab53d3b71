export const dayMs = 86_400_000;

/** Month and day of holidays that much of the world has off. */
const fixed = new Set([101, 501, 704, 1224, 1225, 1226, 1231]);

/** Whether many people do not work on this day, which is given as its midnight in UTC. */
export function isCommonHoliday(date: Date): boolean {
  const [month, dayOfMonth] = [date.getUTCMonth() + 1, date.getUTCDate()];
  if (fixed.has(month * 100 + dayOfMonth)) return true;
  const fromEaster = date.getTime() / dayMs - easterDay(date.getUTCFullYear());
  if (fromEaster === -2 || fromEaster === 0 || fromEaster === 1) return true;
  // Thanksgiving in the United States, the fourth Thursday of November.
  return month === 11 && date.getUTCDay() === 4 && dayOfMonth >= 22 && dayOfMonth <= 28;
}

const easterDays = new Map<number, number>();

/** Easter Sunday in days since 1970, by the Gregorian calendar (Meeus, Jones and Butcher). */
function easterDay(year: number): number {
  const known = easterDays.get(year);
  if (known !== undefined) return known;
  const golden = year % 19;
  const century = Math.floor(year / 100);
  const inCentury = year % 100;
  const leapCenturies = Math.floor(century / 4);
  const correction = Math.floor((century - Math.floor((century + 8) / 25) + 1) / 3);
  const epact = (19 * golden + century - leapCenturies - correction + 15) % 30;
  const toSunday = (32 + 2 * (century % 4) + 2 * Math.floor(inCentury / 4) - epact - (inCentury % 4)) % 7;
  const late = Math.floor((golden + 11 * epact + 22 * toSunday) / 451);
  const monthAndDay = epact + toSunday - 7 * late + 114;
  const day = Date.UTC(year, Math.floor(monthAndDay / 31) - 1, (monthAndDay % 31) + 1) / dayMs;
  if (easterDays.size > 1000) easterDays.clear();
  easterDays.set(year, day);
  return day;
}
