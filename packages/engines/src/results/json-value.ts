/**
 * How values travel in results, the same for every engine:
 * - integer: a JSON number up to 2^53 - 1 either side of zero, a string of digits beyond
 * - number: a JSON number; "NaN", "Infinity" and "-Infinity" as these strings; -0 as 0
 * - decimal: always a string, with all its digits ("NaN" and "Infinity" too, where the engine has them)
 * - date 2024-01-31, time 10:00:00.5 or 10:00:00+02:00, timestamp 2024-01-31T10:00:00.5 where the type has
 *   no zone and the same with a Z, in UTC, where it has one; "infinity" and "-infinity" as these strings;
 *   years outside 0000 to 9999 in ISO 8601's expanded form, +012024-01-31
 * - binary: base64
 * - json: nested values as JSON, made of the forms above; a number in stored JSON that a double cannot
 *   hold is a string of its digits. Lists and arrays are arrays, structs objects (arrays where their
 *   entries have no names), maps arrays of {key, value}, unions {tag, value}
 * - string: everything else as its text: enums, UUIDs, bit strings, ranges; intervals in ISO 8601 (P1DT2H)
 * - NULL is null. Field names repeat where the statement repeats them.
 */
export type JsonValue = null | boolean | number | string | JsonValue[] | { [key: string]: JsonValue };

export const integerValue = (value: bigint): number | string =>
  value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER)
    ? Number(value)
    : String(value);

export const numberValue = (value: number): number | string =>
  Number.isFinite(value) ? value + 0 : String(value);

/** The shortest decimal that is this single-precision number: 0.1, not 0.10000000149011612. */
export function singleValue(value: number): number | string {
  for (let digits = 6; digits < 9 && Number.isFinite(value); digits++) {
    const shorter = Number(value.toPrecision(digits));
    if (Math.fround(shorter) === value) return shorter + 0;
  }
  return numberValue(value);
}

export const binaryValue = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");

/** Own properties only, `__proto__` included. */
export function objectValue(entries: Iterable<readonly [string, JsonValue]>): { [key: string]: JsonValue } {
  const object: { [key: string]: JsonValue } = Object.create(null);
  for (const [key, value] of entries) object[key] = value;
  return object;
}
