import { type DuckDBType, DuckDBTypeId } from "@duckdb/node-api";
import type { FieldType } from "@querybell/domain";

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
