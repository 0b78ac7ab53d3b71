import type { FieldType } from "@querybell/domain";
import type { JsonValue } from "@querybell/domain/results";
import { z } from "zod";
import { integerValue, numberValue, objectValue, parseExactJson } from "../results/json-value.ts";
import { innerTypes, type TypeSignature } from "./protocol.ts";
import { encodeDate, encodeDayInterval, encodeMonthInterval, encodeTime, encodeTimestamp } from "./times.ts";

/** Converts the values that Trino sends for a type to result values. */
export interface Encoding {
  type: FieldType;
  encode(value: unknown): JsonValue;
}

/** For types that Trino sends as one string, number or boolean. Keys of maps are always strings. */
const scalar = (type: FieldType, encode: (text: string) => JsonValue): Encoding => ({
  type,
  encode: (value) => (value === null ? null : encode(String(value))),
});

const integer: Encoding = {
  type: "integer",
  encode(value) {
    if (value === null || (typeof value === "number" && Number.isSafeInteger(value))) return value;
    return integerValue(BigInt(String(value)));
  },
};
const number: Encoding = {
  type: "number",
  encode: (value) => (value === null ? null : numberValue(Number(value))),
};
const boolean = scalar("boolean", (text) => text === "true");
const decimal = scalar("decimal", (text) => text);
const text = scalar("string", (value) => value);
const binary = scalar("binary", (base64) => base64);
const timestamp = scalar("timestamp", encodeTimestamp);

const scalars: ReadonlyMap<string, Encoding> = new Map([
  ["boolean", boolean],
  ["tinyint", integer],
  ["smallint", integer],
  ["integer", integer],
  ["bigint", integer],
  ["real", number],
  ["double", number],
  ["decimal", decimal],
  ["date", scalar("date", encodeDate)],
  ["time", scalar("time", encodeTime)],
  ["time with time zone", scalar("time", encodeTime)],
  ["timestamp", timestamp],
  ["timestamp with time zone", timestamp],
  ["interval year to month", scalar("string", encodeMonthInterval)],
  ["interval day to second", scalar("string", encodeDayInterval)],
  ["varbinary", binary],
  ["hyperloglog", binary],
  ["p4hyperloglog", binary],
  ["setdigest", binary],
  ["qdigest", binary],
  ["tdigest", binary],
  ["json", scalar("json", parseExactJson)],
]);

/** All other types (varchar, char, uuid, ipaddress, geometries, …) are encoded as their text. */
export function encodingOf(signature: TypeSignature): Encoding {
  const name = signature.rawType.toLowerCase();
  switch (name) {
    case "array":
      return arrayEncoding(signature);
    case "map":
      return mapEncoding(signature);
    case "row":
      return rowEncoding(signature);
    default:
      return scalars.get(name) ?? text;
  }
}

const List = z.array(z.unknown());
const Entries = z.record(z.string(), z.unknown());

const nested = (encode: (value: unknown) => JsonValue): Encoding => ({
  type: "json",
  encode: (value) => (value === null ? null : encode(value)),
});

function arrayEncoding(signature: TypeSignature): Encoding {
  const [item = text] = innerTypes(signature).map(({ type }) => encodingOf(type));
  return nested((value) => List.parse(value).map(item.encode));
}

function mapEncoding(signature: TypeSignature): Encoding {
  const [keys = text, values = text] = innerTypes(signature).map(({ type }) => encodingOf(type));
  // Trino writes nested keys in a format that is not JSON.
  const key = keys.type === "json" ? text : keys;
  return nested((value) =>
    Object.entries(Entries.parse(value)).map(([name, item]) =>
      objectValue([
        ["key", key.encode(name)],
        ["value", values.encode(item)],
      ]),
    ),
  );
}

/** An object, or an array if a field has no name or two have the same name. */
function rowEncoding(signature: TypeSignature): Encoding {
  const fields = innerTypes(signature).map(({ name, type }) => ({ name, ...encodingOf(type) }));
  const names = fields.flatMap(({ name }) => (name === undefined ? [] : [name]));
  const isNamed = new Set(names).size === fields.length;
  return nested((value) => {
    const items = List.parse(value).map((item, index) => (fields[index] ?? text).encode(item));
    return isNamed ? objectValue(names.map((name, index) => [name, items[index] ?? null])) : items;
  });
}
