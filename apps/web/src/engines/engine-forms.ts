import { duckdbForm } from "./duckdb/duckdb-form.tsx";
import type { EngineKind } from "./engine.ts";
import type { EngineForm } from "./engine-form.ts";
import { postgresForm } from "./postgres/postgres-form.tsx";
import { trinoForm } from "./trino/trino-form.tsx";

/** The form of every engine. Apart from `engines.ts`, because only the settings need them. */
const engineForms = { postgres: postgresForm, trino: trinoForm, duckdb: duckdbForm };

/** The values of each engine's form. */
export type EngineValues = { [Kind in EngineKind]: (typeof engineForms)[Kind]["empty"] };

const forms: { [Kind in EngineKind]: EngineForm<Kind, EngineValues[Kind]> } = engineForms;

export const formOf = <Kind extends EngineKind>(kind: Kind): EngineForm<Kind, EngineValues[Kind]> =>
  forms[kind];

export const emptyValues: EngineValues = {
  postgres: postgresForm.empty,
  trino: trinoForm.empty,
  duckdb: duckdbForm.empty,
};
