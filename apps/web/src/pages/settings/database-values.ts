import type { Inputs, Outputs } from "@querybell/client";

type Connection = Inputs["databases"]["testConnection"];
type Change = NonNullable<Inputs["databases"]["update"]["connection"]>;
type Saved = Outputs["databases"]["describe"][number];
type PostgresSettings = Extract<Saved["connection"], { engine: "postgres" }>["settings"];

/** What the form holds: the fields of every engine, of which the chosen one's are sent. */
export interface DatabaseValues {
  name: string;
  engine: "duckdb" | "postgres";
  file: string;
  postgres: Omit<PostgresSettings, "tlsCertificateAuthority"> & { tlsCertificateAuthority: string };
  password: string;
  limits: Saved["limits"];
}

const mebibyte = 1024 ** 2;

export const emptyDatabase: DatabaseValues = {
  name: "",
  engine: "postgres",
  file: "",
  postgres: { host: "", port: 5432, database: "", user: "", tls: "verify", tlsCertificateAuthority: "" },
  password: "",
  limits: { timeMs: 300_000, rows: 50_000, bytes: 32 * mebibyte, memoryBytes: 1024 * mebibyte },
};

export const toValues = ({ name, connection, limits }: Saved): DatabaseValues =>
  connection.engine === "duckdb"
    ? { ...emptyDatabase, name, limits, engine: "duckdb", file: connection.settings.file }
    : {
        ...emptyDatabase,
        name,
        limits,
        engine: "postgres",
        postgres: { ...emptyDatabase.postgres, ...connection.settings },
      };

export const toConnection = (values: DatabaseValues): Connection =>
  values.engine === "duckdb"
    ? { engine: "duckdb", settings: { file: values.file } }
    : { engine: "postgres", settings: toSettings(values), credentials: { password: values.password } };

/** With the password left empty, the one that is stored stays. */
export const toChange = (values: DatabaseValues): Change =>
  values.engine === "postgres" && values.password === ""
    ? { engine: "postgres", settings: toSettings(values) }
    : toConnection(values);

function toSettings({ postgres: { tlsCertificateAuthority, ...settings } }: DatabaseValues) {
  return {
    ...settings,
    ...(settings.tls === "verify" && tlsCertificateAuthority !== "" && { tlsCertificateAuthority }),
  };
}

/** Where the api's words about a field of its input belong in the form. */
export const fieldOf: Record<string, string> = {
  "connection.settings.file": "file",
  "connection.settings.host": "postgres.host",
  "connection.settings.port": "postgres.port",
  "connection.settings.database": "postgres.database",
  "connection.settings.user": "postgres.user",
  "connection.settings.tls": "postgres.tls",
  "connection.settings.tlsCertificateAuthority": "postgres.tlsCertificateAuthority",
  "connection.credentials": "password",
  "connection.credentials.password": "password",
};
