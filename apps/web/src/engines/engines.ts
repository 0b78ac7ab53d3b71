import { duckdb } from "./duckdb/duckdb.ts";
import type { Engine, EngineKind } from "./engine.ts";
import { postgres } from "./postgres/postgres.ts";
import { trino } from "./trino/trino.ts";

/** Every engine, in the order in which the form offers them. A new one needs a line here and in `engine-forms.ts`. */
export const engines: Record<EngineKind, Engine> = { postgres, trino, duckdb };

/** The engine of a new database, and of an editor whose database is not known yet. */
export const defaultEngine: EngineKind = "postgres";
