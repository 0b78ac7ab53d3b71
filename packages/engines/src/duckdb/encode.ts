import {
  DuckDBArrayType,
  DuckDBArrayValue,
  DuckDBBlobValue,
  DuckDBDateValue,
  DuckDBGeometryValue,
  DuckDBIntervalValue,
  DuckDBListType,
  DuckDBListValue,
  DuckDBListVector,
  DuckDBMapType,
  DuckDBMapValue,
  DuckDBStructType,
  DuckDBStructValue,
  DuckDBStructVector,
  DuckDBTimeNSValue,
  DuckDBTimestampMillisecondsValue,
  DuckDBTimestampNanosecondsValue,
  DuckDBTimestampSecondsValue,
  DuckDBTimestampTZValue,
  DuckDBTimestampValue,
  DuckDBTimeTZValue,
  DuckDBTimeValue,
  type DuckDBType,
  DuckDBTypeId,
  DuckDBUnionType,
  DuckDBUnionValue,
  type DuckDBValue,
  DuckDBVariantValue,
  type DuckDBVector,
} from "@duckdb/node-api";
import type { FieldType } from "@querybell/domain";
import type { JsonValue } from "@querybell/domain/results";
import {
  isoDateOfDays,
  isoDuration,
  isoOffset,
  isoTime,
  isoTimestamp,
  momentOf,
} from "../results/iso-time.ts";
import {
  binaryValue,
  integerValue,
  numberValue,
  objectValue,
  parseExactJson,
  singleValue,
} from "../results/json-value.ts";

/**
 * Encodes one value of a column. Structs and lists are read from their vectors, because the driver's struct values
 * lose entries without a name or with the name `__proto__`. The type is passed along, because the vectors' own types
 * do not tell JSON from text.
 */
export function encodeItem(vector: DuckDBVector, index: number, type: DuckDBType): JsonValue {
  if (vector instanceof DuckDBStructVector && type instanceof DuckDBStructType) {
    if (!vector.isItemValid(index)) return null;
    const values = type.entryTypes.map((entry, at) => encodeItem(vector.entryVectorAt(at), index, entry));
    return structValue(type.entryNames, values);
  }
  if (vector instanceof DuckDBListVector && type instanceof DuckDBListType) {
    if (vector.getItemVector(index) === null) return null;
    const offset = vector.getEntryOffset(index);
    return Array.from({ length: vector.getEntryLength(index) }, (_, item) =>
      encodeItem(vector.childVector, offset + item, type.valueType),
    );
  }
  const value = vector.getItem(index);
  return value === null ? null : encodeValue(value, type);
}

const structValue = (names: readonly string[], values: JsonValue[]): JsonValue =>
  names.every((name) => name === "")
    ? values
    : objectValue(names.map((name, index) => [name, values[index] ?? null]));

function encodeValue(value: DuckDBValue, type: DuckDBType | undefined): JsonValue {
  if (value === null || typeof value === "boolean") return value;
  if (typeof value === "bigint") return integerValue(value);
  if (typeof value === "number") {
    return type?.typeId === DuckDBTypeId.FLOAT ? singleValue(value) : numberValue(value);
  }
  if (typeof value === "string") return type?.alias === "JSON" ? parseExactJson(value) : value;
  return encodeNested(value, type) ?? encodeTime(value) ?? encodeOther(value);
}

function encodeNested(value: DuckDBValue, type: DuckDBType | undefined): JsonValue | undefined {
  if (value instanceof DuckDBVariantValue) return encodeValue(value.value, value.type);
  if (value instanceof DuckDBListValue || value instanceof DuckDBArrayValue) {
    const itemType =
      type instanceof DuckDBListType || type instanceof DuckDBArrayType ? type.valueType : undefined;
    return value.items.map((item) => encodeValue(item, itemType));
  }
  if (value instanceof DuckDBStructValue) {
    const entryType = (name: string) =>
      type instanceof DuckDBStructType ? type.typeForEntry(name) : undefined;
    return objectValue(
      Object.entries(value.entries).map(([name, entry]) => [name, encodeValue(entry, entryType(name))]),
    );
  }
  if (value instanceof DuckDBMapValue) {
    const [keyType, valueType] = type instanceof DuckDBMapType ? [type.keyType, type.valueType] : [];
    return value.entries.map((entry) => ({
      key: encodeValue(entry.key, keyType),
      value: encodeValue(entry.value, valueType),
    }));
  }
  if (value instanceof DuckDBUnionValue) {
    const member = type instanceof DuckDBUnionType ? type.memberTypeForTag(value.tag) : undefined;
    return { tag: value.tag, value: encodeValue(value.value, member) };
  }
  return undefined;
}

function encodeTime(value: DuckDBValue): string | undefined {
  if (value instanceof DuckDBDateValue) {
    if (value.days === DuckDBDateValue.PosInf.days) return "infinity";
    return value.days === DuckDBDateValue.NegInf.days ? "-infinity" : isoDateOfDays(value.days);
  }
  if (value instanceof DuckDBTimestampTZValue) return encodeMicros(value.micros, "Z");
  if (value instanceof DuckDBTimestampValue) return encodeMicros(value.micros, "");
  if (value instanceof DuckDBTimestampSecondsValue) return isoTimestamp(momentOf(value.seconds, 0));
  if (value instanceof DuckDBTimestampMillisecondsValue) return isoTimestamp(momentOf(value.millis, 3));
  if (value instanceof DuckDBTimestampNanosecondsValue) return isoTimestamp(momentOf(value.nanos, 9));
  if (value instanceof DuckDBTimeValue) return isoTime(momentOf(value.micros, 6));
  if (value instanceof DuckDBTimeNSValue) return isoTime(momentOf(value.nanos, 9));
  if (value instanceof DuckDBTimeTZValue) return isoTime(momentOf(value.micros, 6)) + isoOffset(value.offset);
  return value instanceof DuckDBIntervalValue ? isoDuration(value) : undefined;
}

function encodeMicros(micros: bigint, zone: string): string {
  if (micros === DuckDBTimestampValue.PosInf.micros) return "infinity";
  return micros === DuckDBTimestampValue.NegInf.micros
    ? "-infinity"
    : isoTimestamp(momentOf(micros, 6)) + zone;
}

/** Bytes as base64; decimals, UUIDs, bit strings as their text. */
const encodeOther = (value: DuckDBValue): string =>
  value instanceof DuckDBBlobValue || value instanceof DuckDBGeometryValue
    ? binaryValue(value.bytes)
    : String(value);

const fieldTypes: Partial<Record<DuckDBTypeId, FieldType>> = {
  [DuckDBTypeId.BOOLEAN]: "boolean",
  [DuckDBTypeId.TINYINT]: "integer",
  [DuckDBTypeId.SMALLINT]: "integer",
  [DuckDBTypeId.INTEGER]: "integer",
  [DuckDBTypeId.BIGINT]: "integer",
  [DuckDBTypeId.HUGEINT]: "integer",
  [DuckDBTypeId.UTINYINT]: "integer",
  [DuckDBTypeId.USMALLINT]: "integer",
  [DuckDBTypeId.UINTEGER]: "integer",
  [DuckDBTypeId.UBIGINT]: "integer",
  [DuckDBTypeId.UHUGEINT]: "integer",
  [DuckDBTypeId.BIGNUM]: "integer",
  [DuckDBTypeId.FLOAT]: "number",
  [DuckDBTypeId.DOUBLE]: "number",
  [DuckDBTypeId.DECIMAL]: "decimal",
  [DuckDBTypeId.DATE]: "date",
  [DuckDBTypeId.TIME]: "time",
  [DuckDBTypeId.TIME_TZ]: "time",
  [DuckDBTypeId.TIME_NS]: "time",
  [DuckDBTypeId.TIMESTAMP]: "timestamp",
  [DuckDBTypeId.TIMESTAMP_S]: "timestamp",
  [DuckDBTypeId.TIMESTAMP_MS]: "timestamp",
  [DuckDBTypeId.TIMESTAMP_NS]: "timestamp",
  [DuckDBTypeId.TIMESTAMP_TZ]: "timestamp",
  [DuckDBTypeId.BLOB]: "binary",
  [DuckDBTypeId.GEOMETRY]: "binary",
  [DuckDBTypeId.LIST]: "json",
  [DuckDBTypeId.ARRAY]: "json",
  [DuckDBTypeId.STRUCT]: "json",
  [DuckDBTypeId.MAP]: "json",
  [DuckDBTypeId.UNION]: "json",
  [DuckDBTypeId.VARIANT]: "json",
};

export const fieldTypeOf = (type: DuckDBType): FieldType =>
  type.alias === "JSON" ? "json" : (fieldTypes[type.typeId] ?? "string");
