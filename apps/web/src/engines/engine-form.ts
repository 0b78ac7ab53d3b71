import type { UseFormReturnType } from "@mantine/form";
import type { Inputs, Outputs } from "@querybell/client";
import type { ComponentType } from "react";
import type { DatabaseValues } from "../pages/settings/database-values.ts";
import type { EngineKind } from "./engine.ts";

type Connection = Inputs["databases"]["testConnection"];
type Change = NonNullable<Inputs["databases"]["update"]["connection"]>;
type Shown = Outputs["databases"]["describe"][number]["connection"];
type ByEngine<Member extends { engine: EngineKind }> = { [Each in Member as Each["engine"]]: Each };

export type SettingsOf<Kind extends EngineKind> = ByEngine<Shown>[Kind]["settings"];
export type ConnectionOf<Kind extends EngineKind> = ByEngine<Connection>[Kind];
/** The fields of a form: a text field is empty if the api's value is absent. */
export type Filled<Settings> = { [Key in keyof Settings]-?: NonNullable<Settings[Key]> };

export interface FieldsProps {
  form: UseFormReturnType<DatabaseValues>;
  /** Whether the database exists. The api never returns its credentials. */
  isSaved: boolean;
}

/** The settings of an engine in the form of a database. `Values` are its own; the password or token is common. */
export interface EngineForm<Kind extends EngineKind, Values> {
  empty: Values;
  toValues(settings: SettingsOf<Kind>): Values;
  toConnection(values: Values, password: string): ConnectionOf<Kind>;
  /** Whether the form leaves the stored password or token as it is. */
  usesStoredCredentials(values: Values, password: string): boolean;
  /** The connection without credentials: the stored ones are kept. */
  toChange(values: Values): Extract<Change, { engine: Kind }>;
  /** The required fields: the path, the value, and what to enter. */
  required(values: Values, password: string): (readonly [path: string, value: string, what: string])[];
  Fields: ComponentType<FieldsProps>;
  /** Where the database is, in a few words. */
  describe(settings: SettingsOf<Kind>): string;
}
