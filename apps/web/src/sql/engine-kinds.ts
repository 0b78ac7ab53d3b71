import type { Outputs } from "@querybell/client";

export type EngineKind = Outputs["databases"]["list"][number]["engine"];
export type DatabaseTable = Outputs["databases"]["tables"][number];

/** Empty for Trino: its tables come from the schema that the database is configured with. */
const defaultSchemas: Record<EngineKind, string> = { duckdb: "main", postgres: "public", trino: "" };

export const defaultSchemaOf = (engine: EngineKind): string => defaultSchemas[engine];
