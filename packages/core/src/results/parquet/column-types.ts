import type { Field, FieldType } from "@querybell/domain";
import type { SchemaElement } from "hyparquet-writer";

/** A Parquet type, and the form in which values are given to the writer. NULL is not encoded. */
interface Encoding {
  element: Omit<SchemaElement, "name">;
  encode(value: unknown): unknown;
}

/** Finds the Parquet type of a column from all of its values. */
interface TypeFinder {
  /** False if the value does not fit. The column is written as text then. */
  accepts(value: unknown): boolean;
  /** Called once all values are accepted. */
  encoding(): Encoding;
}

const text: Encoding = {
  element: { type: "BYTE_ARRAY", converted_type: "UTF8", logical_type: { type: "STRING" } },
  encode: (value) => (typeof value === "string" ? value : JSON.stringify(value)),
};

/** A type that does not depend on the values. */
const always = (encoding: Encoding) => (): TypeFinder => ({ accepts: () => true, encoding: () => encoding });

const finders: Record<FieldType, () => TypeFinder> = {
  boolean: always({ element: { type: "BOOLEAN" }, encode: (value) => value }),
  integer: findInteger,
  // "NaN" and "Infinity" too.
  number: always({ element: { type: "DOUBLE" }, encode: Number }),
  decimal: findDecimal,
  date: findDate,
  time: findTime,
  timestamp: findTimestamp,
  string: always(text),
  binary: always({
    element: { type: "BYTE_ARRAY" },
    encode: (value) => Buffer.from(String(value), "base64"),
  }),
  json: always({
    element: { type: "BYTE_ARRAY", converted_type: "JSON", logical_type: { type: "JSON" } },
    encode: (value) => Buffer.from(JSON.stringify(value)),
  }),
};

const maxDecimalDigits = 38;
const maxInt64Digits = 18;
const maxDecimalBytes = 16;

/** `unscaled` returns the value without its decimal point, as an integer. */
function decimalEncoding(precision: number, scale: number, unscaled: (value: unknown) => bigint): Encoding {
  const decimal = {
    converted_type: "DECIMAL",
    logical_type: { type: "DECIMAL", precision, scale },
    precision,
    scale,
  } as const;
  return precision <= maxInt64Digits
    ? { element: { type: "INT64", ...decimal }, encode: unscaled }
    : {
        element: { type: "FIXED_LEN_BYTE_ARRAY", type_length: maxDecimalBytes, ...decimal },
        encode: unscaled,
      };
}

const toBigInt = (value: unknown): bigint => BigInt(String(value));

/** 64 bits, or a decimal of 38 digits if these are not enough. */
function findInteger(): TypeFinder {
  let fitsInt64 = true;
  return {
    accepts(value) {
      if (typeof value === "number") return true;
      const integer = toBigInt(value);
      fitsInt64 &&= BigInt.asIntN(64, integer) === integer;
      return String(value).replace("-", "").length <= maxDecimalDigits;
    },
    encoding: () =>
      fitsInt64
        ? { element: { type: "INT64" }, encode: toBigInt }
        : decimalEncoding(maxDecimalDigits, 0, toBigInt),
  };
}

/** A column has one scale: the largest of its values. "NaN" and "Infinity" are no decimals. */
function findDecimal(): TypeFinder {
  let [wholeDigits, scale] = [1, 0];
  return {
    accepts(value) {
      const [, whole, fraction = ""] = /^-?(\d+)(?:\.(\d+))?$/.exec(String(value)) ?? [];
      if (whole === undefined) return false;
      wholeDigits = Math.max(wholeDigits, whole.length);
      scale = Math.max(scale, fraction.length);
      return wholeDigits + scale <= maxDecimalDigits;
    },
    encoding: () =>
      decimalEncoding(wholeDigits + scale, scale, (value) => {
        const [whole = "", fraction = ""] = String(value).split(".");
        return BigInt(whole + fraction.padEnd(scale, "0"));
      }),
  };
}

const dayMs = 86_400_000;
const daysOf = (value: unknown): number => Date.parse(`${value}T00:00:00Z`) / dayMs;

function findDate(): TypeFinder {
  return {
    accepts: (value) => !Number.isNaN(daysOf(value)),
    encoding: () => ({
      element: { type: "INT32", converted_type: "DATE", logical_type: { type: "DATE" } },
      encode: daysOf,
    }),
  };
}

/** How one column is written. */
export interface ParquetColumn {
  element: SchemaElement;
  encode(value: unknown): unknown;
}

/** Collects what is needed to know the Parquet type of a column. */
export class ColumnProfile {
  readonly #finder: TypeFinder;
  #isText = false;

  constructor({ type }: Pick<Field, "type">) {
    this.#finder = finders[type]();
  }

  add(value: unknown): void {
    if (value !== null && !this.#isText) this.#isText = !this.#finder.accepts(value);
  }

  toColumn(name: string): ParquetColumn {
    const { element, encode } = this.#isText ? text : this.#finder.encoding();
    return {
      element: { name, repetition_type: "OPTIONAL", ...element },
      encode: (value) => (value === null ? null : encode(value)),
    };
  }
}

const timePattern = /^([01]\d|2[0-3]):(\d{2}):(\d{2})(?:\.(\d{1,6}))?$/;

/** In microseconds. Refuses times with a zone or with nanoseconds, and 24:00:00. */
function findTime(): TypeFinder {
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
function findTimestamp(): TypeFinder {
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
        // The type that old readers know means a time in UTC.
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
