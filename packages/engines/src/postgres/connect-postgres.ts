import { isIP, type Socket } from "node:net";
import pg from "pg";
import { type ConnectionContext, type Driver, EngineError } from "../engine.ts";
import { toConnectionError } from "./errors.ts";
import type { PostgresConfiguration } from "./postgres-engine.ts";
import { PostgresSession } from "./postgres-session.ts";

const connectMs = 10_000;

export const postgresDriver: Driver<PostgresConfiguration> = { connect };

async function connect(
  configuration: PostgresConfiguration,
  context: ConnectionContext,
): Promise<PostgresSession> {
  const open = () => openClient(configuration, context);
  try {
    const client = await open();
    const processId = await prepareSession(client, context);
    if (configuration.role !== undefined)
      await client.query(`SET ROLE ${pg.escapeIdentifier(configuration.role)}`);
    return new PostgresSession(client, processId, open);
  } catch (error) {
    throw toConnectionError(error, configuration.host);
  }
}

async function openClient(
  configuration: PostgresConfiguration,
  { openSocket }: ConnectionContext,
): Promise<pg.Client> {
  const { host, database, user, password, tls, tlsCertificateAuthority } = configuration;
  const socket = await openSocket();
  const client = new pg.Client({
    host,
    stream: () => asUnconnected(socket),
    database,
    user,
    password,
    application_name: "querybell",
    connectionTimeoutMillis: connectMs,
    keepAlive: true,
    ssl: tls !== "off" && {
      rejectUnauthorized: tls === "verify",
      // The certificate is checked against the name, not the resolved address.
      ...(isIP(host) === 0 && { servername: host }),
      ...(tlsCertificateAuthority && { ca: tlsCertificateAuthority }),
    },
  });
  // A lost connection also rejects the query in progress; without a listener it would end the process.
  client.on("error", () => {});
  await client.connect();
  return client;
}

/** The driver calls `connect` on its socket and waits for the event. This one is connected already. */
function asUnconnected(socket: Socket): Socket {
  const connect = () => {
    // The parent paused it, so that no bytes were read before the host received it.
    socket.resume();
    setImmediate(() => socket.emit("connect"));
    return socket;
  };
  return Object.assign(socket, { connect });
}

/**
 * Sets everything that affects the format of values or the rights of statements, whatever the server's defaults are.
 * Returns the id of the server process of this session.
 */
async function prepareSession(client: pg.Client, { timeMs }: ConnectionContext): Promise<number> {
  await client.query(`
    SET default_transaction_read_only = on;
    SET statement_timeout = ${timeMs};
    SET idle_in_transaction_session_timeout = ${timeMs};
    SET TimeZone = 'UTC';
    SET DateStyle = 'ISO, YMD';
    SET IntervalStyle = 'iso_8601';
    SET extra_float_digits = 1;
    SET bytea_output = 'hex';
    SET standard_conforming_strings = on;
    SET cursor_tuple_fraction = 1`);
  // From Postgres 14 on, the server notices a lost connection during a statement.
  await client.query("SET client_connection_check_interval = '1s'").catch(() => {});
  const { rows } = await client.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
  const [row] = rows;
  if (!row) throw new EngineError("database_unreachable", "The server did not return the id of its process.");
  return row.pid;
}
