import type { DatabaseConnection } from "@querybell/domain";

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
