import type { TypeFinder } from "./column-types.ts";

const timePattern = /^([01]\d|2[0-3]):(\d{2}):(\d{2})(?:\.(\d{1,6}))?$/;

/** In microseconds. A time with a zone or with nanoseconds, and 24:00:00, are no such time. */
export function findTime(): TypeFinder {
  return {
    accepts: (value) => timePattern.test(String(value)),
    encoding: () => ({
      element: { type: "INT64", logical_type: { type: "TIME", isAdjustedToUTC: false, unit: "MICROS" } },
      encode(value) {
        const [, hours, minutes, seconds, fraction = ""] = timePattern.exec(String(value)) ?? [];
        const inSeconds = (Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds);
        return BigInt(inSeconds) * 1_000_000n + BigInt(fraction.padEnd(6, "0"));
      },
    }),
  };
}

const timestampPattern = /^((?:\d{4}|[+-]\d{6})-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(?:\.(\d{1,9}))?(Z?)$/;

// 64 bits of nanoseconds hold the years 1677 to 2262.
const [minNanosecondsMs, maxNanosecondsMs] = [Date.UTC(1678, 0), Date.UTC(2262, 0)];

/**
 * In microseconds, or in nanoseconds where a value has them. A column with a time zone has a Z at each of its values,
 * and one without has none. Infinite times are no timestamps.
 */
export function findTimestamp(): TypeFinder {
  let hasZone: boolean | undefined;
  let digits = 6;
  let fitsNanoseconds = true;
  return {
    accepts(value) {
      const [, moment, fraction = "", zone] = timestampPattern.exec(String(value)) ?? [];
      const milliseconds = Date.parse(`${moment}Z`);
      if (Number.isNaN(milliseconds)) return false;
      hasZone ??= zone === "Z";
      if (fraction.length > digits) digits = 9;
      fitsNanoseconds &&= milliseconds >= minNanosecondsMs && milliseconds < maxNanosecondsMs;
      return hasZone === (zone === "Z") && (digits === 6 || fitsNanoseconds);
    },
    encoding: () => ({
      element: {
        type: "INT64",
        // What old readers know means a time in UTC.
        ...(hasZone && digits === 6 && { converted_type: "TIMESTAMP_MICROS" }),
        logical_type: {
          type: "TIMESTAMP",
          isAdjustedToUTC: hasZone ?? false,
          unit: digits === 6 ? "MICROS" : "NANOS",
        },
      },
      encode(value) {
        const [, moment, fraction = ""] = timestampPattern.exec(String(value)) ?? [];
        const seconds = BigInt(Date.parse(`${moment}Z`) / 1000);
        return seconds * 10n ** BigInt(digits) + BigInt(fraction.padEnd(digits, "0"));
      },
    }),
  };
}
