const secondsPerDay = 86_400;
const pad = (value: number, length = 2) => String(value).padStart(length, "0");

/** 2024-01-31; years outside 0000 to 9999 get a sign and six digits or more. */
export function isoDate(year: number, month: number, day: number): string {
  const sign = year < 0 ? "-" : "+";
  const yearText = year >= 0 && year <= 9999 ? pad(year, 4) : sign + pad(Math.abs(year), 6);
  return `${yearText}-${pad(month)}-${pad(day)}`;
}

/** Days since 1970-01-01, of any size: JavaScript's Date ends long before the engines' dates do. */
export function isoDateOfDays(days: number): string {
  const shifted = days + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra -
      Math.floor(dayOfEra / 1460) +
      Math.floor(dayOfEra / 36_524) -
      Math.floor(dayOfEra / 146_096)) /
      365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  // Years are counted from March here, so that the leap day comes last.
  const monthFromMarch = Math.floor((5 * dayOfYear + 2) / 153);
  const day = dayOfYear - Math.floor((153 * monthFromMarch + 2) / 5) + 1;
  const month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9;
  return isoDate(yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day);
}

/** A number of seconds and the fraction that comes with it, as digits of the given length. */
export interface Moment {
  seconds: number;
  fraction: number;
  digits: number;
}

/** Splits a count of units, `digits` decimal places of a second each. */
export function momentOf(count: bigint, digits: number): Moment {
  const perSecond = 10n ** BigInt(digits);
  const fraction = ((count % perSecond) + perSecond) % perSecond;
  return { seconds: Number((count - fraction) / perSecond), fraction: Number(fraction), digits };
}

export function isoTime({ seconds, fraction, digits }: Moment): string {
  const text = `${pad(Math.floor(seconds / 3600))}:${pad(Math.floor(seconds / 60) % 60)}:${pad(seconds % 60)}`;
  return fraction === 0 ? text : `${text}.${pad(fraction, digits).replace(/(?<!0)0+$/, "")}`;
}

export function isoTimestamp(moment: Moment): string {
  const days = Math.floor(moment.seconds / secondsPerDay);
  return `${isoDateOfDays(days)}T${isoTime({ ...moment, seconds: moment.seconds - days * secondsPerDay })}`;
}

/** +02:00, with seconds only where there are some. */
export function isoOffset(seconds: number): string {
  const magnitude = Math.abs(seconds);
  const text = `${seconds < 0 ? "-" : "+"}${pad(Math.floor(magnitude / 3600))}:${pad(Math.floor(magnitude / 60) % 60)}`;
  return magnitude % 60 === 0 ? text : `${text}:${pad(magnitude % 60)}`;
}

/** P1Y2M3DT4H5M6.5S, each part with its own sign, as Postgres writes it. */
export function isoDuration({
  months,
  days,
  micros,
}: {
  months: number;
  days: number;
  micros: bigint;
}): string {
  const part = (value: number | bigint, unit: string) =>
    value === 0 || value === 0n ? "" : `${value}${unit}`;
  const date = part(Math.trunc(months / 12), "Y") + part(months % 12, "M") + part(days, "D");
  const magnitude = micros < 0n ? -micros : micros;
  const sign = micros < 0n ? "-" : "";
  const { seconds, fraction } = momentOf(magnitude % 60_000_000n, 6);
  const fractionText = fraction === 0 ? "" : `.${pad(fraction, 6).replace(/(?<!0)0+$/, "")}`;
  const time =
    part(micros / 3_600_000_000n, "H") +
    part((micros / 60_000_000n) % 60n, "M") +
    (seconds === 0 && fraction === 0 ? "" : `${sign}${seconds}${fractionText}S`);
  if (date === "" && time === "") return "PT0S";
  return `P${date}${time === "" ? "" : `T${time}`}`;
}
