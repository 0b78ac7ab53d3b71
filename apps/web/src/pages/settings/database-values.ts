import type { Inputs, Outputs } from "@querybell/client";
import type { EngineKind } from "../../engines/engine.ts";
import { type EngineValues, emptyValues, formOf } from "../../engines/engine-forms.ts";
import { defaultEngine } from "../../engines/engines.ts";

type Connection = Inputs["databases"]["testConnection"];
type Change = NonNullable<Inputs["databases"]["update"]["connection"]>;
type Saved = Outputs["databases"]["describe"][number];

/** The form's values, with those of all engines. Only those of the chosen engine are sent. */
export interface DatabaseValues extends EngineValues {
  name: string;
  engine: EngineKind;
  /** The password or the token. */
  password: string;
  limits: Saved["limits"];
}

const mebibyte = 1024 ** 2;

export const emptyDatabase: DatabaseValues = {
  name: "",
  engine: defaultEngine,
  ...emptyValues,
  password: "",
  limits: { timeMs: 300_000, rows: 50_000, bytes: 32 * mebibyte, memoryBytes: 1024 * mebibyte },
};

export const toValues = ({ name, connection: { engine, settings }, limits }: Saved): DatabaseValues => ({
  ...emptyDatabase,
  name,
  limits,
  engine,
  [engine]: formOf(engine).toValues(settings),
});

export const toConnection = (values: DatabaseValues): Connection =>
  formOf(values.engine).toConnection(values[values.engine], values.password);

/** Whether the form leaves the stored password or token as it is. */
export const usesStoredCredentials = (values: DatabaseValues): boolean =>
  formOf(values.engine).usesStoredCredentials(values[values.engine], values.password);

export const toChange = (values: DatabaseValues): Change =>
  usesStoredCredentials(values)
    ? formOf(values.engine).toChange(values[values.engine])
    : toConnection(values);

/** The required fields that are empty, each with what to enter. */
export function findEmptyFields(values: DatabaseValues): Record<string, string> {
  const fields = [
    ["name", values.name, "Give the database a name."] as const,
    ...formOf(values.engine).required(values[values.engine], values.password),
  ];
  return Object.fromEntries(
    fields.filter(([, value]) => value.trim() === "").map(([path, , what]) => [path, what]),
  );
}

/** Maps the path of a field in the api's input to the path in the form. */
export function fieldAt(path: string, engine: EngineKind): string {
  if (path.startsWith("connection.credentials")) return "password";
  return path.replace(/^connection\.settings\./, `${engine}.`);
}
