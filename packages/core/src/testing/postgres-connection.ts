import { type DatabaseConnection, PostgresSettings } from "@querybell/domain";

/** The connection of an analytical database to the Postgres at this URL, without TLS. */
export function toPostgresConnection(url: string): DatabaseConnection {
  const { hostname, port, pathname, username, password } = new URL(url);
  return {
    engine: "postgres",
    settings: {
      host: hostname,
      port: Number(port),
      database: pathname.slice(1),
      user: decodeURIComponent(username),
      tls: "off",
    },
    credentials: { password: decodeURIComponent(password) },
  };
}

/** A connection to a Postgres on this machine, or where the settings say. Nothing needs to listen there. */
export const postgresAt = (settings: object, password = "none"): DatabaseConnection => ({
  engine: "postgres",
  settings: PostgresSettings.parse({ host: "127.0.0.1", database: "shop", user: "reader", ...settings }),
  credentials: { password },
});
