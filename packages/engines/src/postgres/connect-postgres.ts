import { isIP, type Socket } from "node:net";
import pg from "pg";
import { z } from "zod";
import { type ConnectionContext, type Driver, EngineError } from "../engine.ts";
import { toConnectionError } from "./errors.ts";
import type { PostgresConfiguration } from "./postgres-engine.ts";
import { PostgresSession } from "./postgres-session.ts";

const connectMs = 10_000;
const ServerVersion = z.object({ parameterName: z.literal("server_version"), parameterValue: z.string() });

export const postgresDriver: Driver<PostgresConfiguration> = { connect };

async function connect(
  configuration: PostgresConfiguration,
  context: ConnectionContext,
): Promise<PostgresSession> {
  const open = () => openClient(configuration, context);
  try {
    const opened = await open();
    const processId = await prepareSession(opened, configuration.role, context);
    return new PostgresSession(opened.client, processId, async () => (await open()).client);
  } catch (error) {
    throw toConnectionError(error, configuration.host);
  }
}

interface OpenClient {
  client: pg.Client;
  /** The first number of the server's version; 0 if the server does not tell it. */
  serverVersion: number;
}

async function openClient(
  configuration: PostgresConfiguration,
  { openSocket }: ConnectionContext,
): Promise<OpenClient> {
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
    // Statements are sent without waiting for the answers to those before.
    pipeline: true,
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
  let serverVersion = 0;
  client.connection.on("parameterStatus", (status: unknown) => {
    const { success, data } = ServerVersion.safeParse(status);
    if (success) serverVersion = Number.parseInt(data.parameterValue, 10) || 0;
  });
  await client.connect();
  return { client, serverVersion };
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

const SessionResults = z.array(z.object({ rows: z.array(z.object({ pid: z.int().optional() })) }));

/** A server that reports a version from which it should have the setting, but lacks it or refuses to use it here. */
const refusalOfCheck = /client_connection_check_interval/;

/**
 * Sets everything that affects the format of values or the rights of statements, whatever the server's defaults are.
 * Returns the id of the server process of this session. One message, since each costs a round trip.
 */
async function prepareSession(
  { client, serverVersion }: OpenClient,
  role: string | undefined,
  { timeMs }: ConnectionContext,
): Promise<number> {
  const prepare = async (more: string[]) => {
    const statements = [
      "SET default_transaction_read_only = on",
      `SET statement_timeout = ${timeMs}`,
      `SET idle_in_transaction_session_timeout = ${timeMs}`,
      "SET TimeZone = 'UTC'",
      "SET DateStyle = 'ISO, YMD'",
      "SET IntervalStyle = 'iso_8601'",
      "SET extra_float_digits = 1",
      "SET bytea_output = 'hex'",
      "SET standard_conforming_strings = on",
      "SET cursor_tuple_fraction = 1",
      ...more,
      "SELECT pg_catalog.pg_backend_pid() AS pid",
      ...(role === undefined ? [] : [`SET ROLE ${pg.escapeIdentifier(role)}`]),
    ];
    const results: unknown = await client.query(statements.join("; "));
    return SessionResults.parse(results).find(({ rows }) => rows.length > 0)?.rows[0]?.pid;
  };
  // With it, the server notices a lost connection during a statement. On Windows, Postgres refuses it.
  const check = serverVersion >= 14 ? ["SET client_connection_check_interval = '1s'"] : [];
  const pid = await prepare(check).catch((error: unknown) => {
    if (check.length > 0 && error instanceof pg.DatabaseError && refusalOfCheck.test(error.message)) {
      return prepare([]);
    }
    throw error;
  });
  if (pid === undefined) {
    throw new EngineError("database_unreachable", "The server did not return the id of its process.");
  }
  return pid;
}
