import type { ConnectionContext, Driver } from "../engine.ts";
import { toConnectionError, toQueryError } from "./errors.ts";
import { ServerHttp } from "./server-http.ts";
import { StatementClient } from "./statement-client.ts";
import type { TrinoConfiguration } from "./trino-engine.ts";
import { TrinoSession } from "./trino-session.ts";

const connectMs = 10_000;

export const trinoDriver: Driver<TrinoConfiguration> = {
  connect: async (configuration, context) =>
    new TrinoSession({
      ...(await openReadOnly(configuration, context)),
      configuration,
      onProgress: context.onProgress,
    }),
  endAbandonedQueries,
};

/**
 * A session is a read-only transaction. Starting it shows that the server is reachable and accepts the credentials,
 * and it refuses writes even if the validation of statements has a gap.
 */
export async function openReadOnly(
  configuration: TrinoConfiguration,
  context: ConnectionContext,
): Promise<{ http: ServerHttp; client: StatementClient }> {
  const { http, client } = createClient(configuration, context);
  // The server's own limit ends the query if all of our processes die. A cluster may forbid setting it.
  const limited = client.with({ "X-Trino-Session": `query_max_run_time=${context.timeMs}ms` });
  try {
    const transaction = (await startReadOnlyTransaction(limited)) ?? (await startReadOnlyTransaction(client));
    if (!transaction) throw new Error("it does not allow a transaction");
    return { http, client: transaction };
  } catch (error) {
    http.close();
    throw toConnectionError(error, configuration.host);
  }
}

/** Needs no transaction: the cluster always shows a user its own queries. */
async function endAbandonedQueries(
  configuration: TrinoConfiguration,
  context: ConnectionContext,
): Promise<void> {
  const { http, client } = createClient(configuration, context);
  try {
    const ids = await client.listUnfinishedQueries(context.label);
    await Promise.all(ids.map((id) => client.kill(id)));
  } finally {
    http.close();
  }
}

function createClient(configuration: TrinoConfiguration, { openSocket, label }: ConnectionContext) {
  const http = new ServerHttp(configuration, openSocket);
  const headers = { ...headersOf(configuration), "X-Trino-Trace-Token": label };
  return { http, client: new StatementClient(http, configuration, headers) };
}

/** Undefined if the user may not do this. */
async function startReadOnlyTransaction(client: StatementClient): Promise<StatementClient | undefined> {
  const starting = client.with({ "X-Trino-Transaction-Id": "NONE" });
  let page = await starting.post("START TRANSACTION READ ONLY", AbortSignal.timeout(connectMs));
  for (;;) {
    if (page.error?.errorName === "PERMISSION_DENIED") return undefined;
    if (page.error) throw toQueryError(page.error);
    const id = page.headers["x-trino-started-transaction-id"];
    if (typeof id === "string") {
      if (page.nextUri) await starting.next(page.nextUri);
      return client.with({ "X-Trino-Transaction-Id": id });
    }
    if (!page.nextUri) throw new Error("it did not say which transaction it started");
    page = await starting.next(page.nextUri);
  }
}

function headersOf({ catalog, schema, user, credentials }: TrinoConfiguration): Record<string, string> {
  return {
    "User-Agent": "querybell",
    "X-Trino-User": user,
    "X-Trino-Source": "querybell",
    "X-Trino-Catalog": catalog,
    ...(schema !== undefined && { "X-Trino-Schema": schema }),
    "X-Trino-Time-Zone": "UTC",
    "X-Trino-Language": "en-US",
    // Without it, times are rounded to milliseconds.
    "X-Trino-Client-Capabilities": "PARAMETRIC_DATETIME",
    ...(credentials.kind === "password" && {
      Authorization: `Basic ${Buffer.from(`${user}:${credentials.password}`).toString("base64")}`,
    }),
    ...(credentials.kind === "token" && { Authorization: `Bearer ${credentials.token}` }),
  };
}
