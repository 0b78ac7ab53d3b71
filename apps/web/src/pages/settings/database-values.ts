import type { Inputs, Outputs } from "@querybell/client";

type Connection = Inputs["databases"]["testConnection"];
type Change = NonNullable<Inputs["databases"]["update"]["connection"]>;
type Saved = Outputs["databases"]["describe"][number];
type SettingsOf<Engine> = Extract<Saved["connection"], { engine: Engine }>["settings"];
type TrinoCredentials = Extract<Connection, { engine: "trino" }>["credentials"];
/** A text field is empty if the api's value is absent. */
type Filled<Settings> = { [Key in keyof Settings]-?: NonNullable<Settings[Key]> };

/** The form's values: the fields of all engines. Only those of the chosen engine are sent. */
export interface DatabaseValues {
  name: string;
  engine: Saved["connection"]["engine"];
  file: string;
  postgres: Filled<SettingsOf<"postgres">>;
  trino: Filled<SettingsOf<"trino">>;
  /** `keep`: leave the stored credentials of a saved database, which the api never returns. */
  trinoCredentials: TrinoCredentials["kind"] | "keep";
  /** The password or the token. */
  password: string;
  limits: Saved["limits"];
}

const mebibyte = 1024 ** 2;

export const emptyDatabase: DatabaseValues = {
  name: "",
  engine: "postgres",
  file: "",
  postgres: { host: "", port: 5432, database: "", user: "", tls: "verify", tlsCertificateAuthority: "" },
  trino: {
    host: "",
    port: 8443,
    catalog: "",
    schema: "",
    user: "",
    tls: "verify",
    tlsCertificateAuthority: "",
  },
  trinoCredentials: "password",
  password: "",
  limits: { timeMs: 300_000, rows: 50_000, bytes: 32 * mebibyte, memoryBytes: 1024 * mebibyte },
};

export function toValues({ name, connection, limits }: Saved): DatabaseValues {
  const common = { ...emptyDatabase, name, limits, engine: connection.engine };
  switch (connection.engine) {
    case "duckdb":
      return { ...common, file: connection.settings.file };
    case "postgres":
      return { ...common, postgres: { ...emptyDatabase.postgres, ...connection.settings } };
    case "trino":
      return {
        ...common,
        trino: { ...emptyDatabase.trino, ...connection.settings },
        trinoCredentials: "keep",
      };
  }
}

export function toConnection(values: DatabaseValues): Connection {
  switch (values.engine) {
    case "duckdb":
      return { engine: "duckdb", settings: { file: values.file } };
    case "postgres":
      return {
        engine: "postgres",
        settings: toSettings(values.postgres),
        credentials: { password: values.password },
      };
    case "trino":
      return { engine: "trino", settings: toTrinoSettings(values), credentials: toTrinoCredentials(values) };
  }
}

/** Whether the form leaves the stored password or token as it is. */
export const usesStoredCredentials = ({ engine, password, trinoCredentials }: DatabaseValues): boolean =>
  (engine === "postgres" && password === "") || (engine === "trino" && trinoCredentials === "keep");

export function toChange(values: DatabaseValues): Change {
  if (!usesStoredCredentials(values)) return toConnection(values);
  return values.engine === "trino"
    ? { engine: "trino", settings: toTrinoSettings(values) }
    : { engine: "postgres", settings: toSettings(values.postgres) };
}

function toSettings<Settings extends { tls: string; tlsCertificateAuthority: string }>({
  tlsCertificateAuthority,
  ...settings
}: Settings) {
  return {
    ...settings,
    ...(settings.tls === "verify" && tlsCertificateAuthority !== "" && { tlsCertificateAuthority }),
  };
}

function toTrinoSettings({ trino: { schema, ...settings } }: DatabaseValues) {
  return { ...toSettings(settings), ...(schema !== "" && { schema }) };
}

function toTrinoCredentials({ trinoCredentials: kind, password }: DatabaseValues): TrinoCredentials {
  if (kind === "password") return { kind, password };
  return kind === "token" ? { kind, token: password } : { kind: "none" };
}

/** The required fields that are empty, each with what to enter. */
export function findEmptyFields(values: DatabaseValues): Record<string, string> {
  const { engine, name, file, postgres, trino, trinoCredentials, password } = values;
  const required = {
    duckdb: [["file", file, "Enter the name of the file."]],
    postgres: [
      ["postgres.host", postgres.host, "Enter the host."],
      ["postgres.database", postgres.database, "Enter the name of the database."],
      ["postgres.user", postgres.user, "Enter the user."],
    ],
    trino: [
      ["trino.host", trino.host, "Enter the host."],
      ["trino.catalog", trino.catalog, "Enter the catalog."],
      ["trino.user", trino.user, "Enter the user."],
      ...(trinoCredentials === "password" || trinoCredentials === "token"
        ? [["password", password, `Enter the ${trinoCredentials}.`] as const]
        : []),
    ],
  } satisfies Record<DatabaseValues["engine"], (readonly [string, string, string])[]>;
  const fields = [["name", name, "Give the database a name."] as const, ...required[engine]];
  return Object.fromEntries(
    fields.filter(([, value]) => value.trim() === "").map(([path, , what]) => [path, what]),
  );
}

/** Maps the path of a field in the api's input to the path in the form. */
export function fieldAt(path: string, engine: DatabaseValues["engine"]): string {
  if (path === "connection.settings.file") return "file";
  if (path.startsWith("connection.credentials")) return "password";
  return path.replace(/^connection\.settings\./, `${engine}.`);
}
