import type { FieldType } from "@querybell/domain";
import type { JsonValue } from "@querybell/domain/results";
import { parse as parseArray } from "postgres-array";
import { isoDate } from "../results/iso-time.ts";
import { integerValue, numberValue, parseExactJson } from "../results/json-value.ts";

/** Converts the text that Postgres sends for a type to a result value. */
export interface Encoding {
  type: FieldType;
  encode(text: string): JsonValue;
}

const integer: Encoding = { type: "integer", encode: (text) => integerValue(BigInt(text)) };
const number: Encoding = { type: "number", encode: (text) => numberValue(Number(text)) };
const decimal: Encoding = { type: "decimal", encode: (text) => text };
const boolean: Encoding = { type: "boolean", encode: (text) => text === "t" };
const date: Encoding = { type: "date", encode: encodeDateTime };
const time: Encoding = { type: "time", encode: (text) => text.replace(zonePattern, isoZone) };
const timestamp: Encoding = { type: "timestamp", encode: encodeDateTime };
const json: Encoding = { type: "json", encode: parseExactJson };
const binary: Encoding = {
  type: "binary",
  encode: (text) => Buffer.from(text.slice(2), "hex").toString("base64"),
};
/** For all other types, such as enums and UUIDs. */
export const textEncoding: Encoding = { type: "string", encode: (text) => text };

export const arrayEncoding = (item: Encoding): Encoding => ({
  type: "json",
  encode: (text) => parseArray(text, item.encode),
});

// Object ids of built-in types, which never change: [type, array of it, encoding].
const builtIn: [oid: number, arrayOid: number, encoding: Encoding][] = [
  [16, 1000, boolean],
  [17, 1001, binary],
  [20, 1016, integer],
  [21, 1005, integer],
  [23, 1007, integer],
  [26, 1028, integer],
  [25, 1009, textEncoding],
  [1042, 1014, textEncoding],
  [1043, 1015, textEncoding],
  [2950, 2951, textEncoding],
  [1186, 1187, textEncoding],
  [114, 199, json],
  [3802, 3807, json],
  [700, 1021, number],
  [701, 1022, number],
  [1700, 1231, decimal],
  [1082, 1182, date],
  [1083, 1183, time],
  [1266, 1270, time],
  [1114, 1115, timestamp],
  [1184, 1185, timestamp],
];

export const encodings: ReadonlyMap<number, Encoding> = new Map(
  builtIn.flatMap(([oid, arrayOid, encoding]) => [
    [oid, encoding],
    [arrayOid, arrayEncoding(encoding)],
  ]),
);

const zonePattern = /([+-])(\d{2})(?::(\d{2}))?(?::(\d{2}))?$/;
const dateTimePattern =
  /^(\d{4,})-(\d{2})-(\d{2})(?: (\d{2}:\d{2}:\d{2}(?:\.\d+)?)([+-]\d{2}(?::\d{2}){0,2})?)?( BC)?$/;

/** From `0044-03-15 12:00:00+00 BC` to ISO 8601; `infinity` stays as it is. */
function encodeDateTime(text: string): string {
  const [matched, year, month, day, clock, zone, before] = dateTimePattern.exec(text) ?? [];
  if (!matched) return text;
  // Postgres has no year 0: 1 BC is ISO's 0000.
  const date = isoDate(before ? 1 - Number(year) : Number(year), Number(month), Number(day));
  if (!clock) return date;
  return `${date}T${clock}${zone === "+00" ? "Z" : (zone?.replace(zonePattern, isoZone) ?? "")}`;
}

function isoZone(_: string, sign: string, hours: string, minutes = "00", seconds?: string): string {
  return `${sign}${hours}:${minutes}${seconds ? `:${seconds}` : ""}`;
}
