import { mkdir } from "node:fs/promises";
import { createKey } from "@querybell/core/keys";
import { createQuery } from "@querybell/core/queries";
import { createReference } from "@querybell/core/references";
import { createEndpoint } from "@querybell/core/webhooks";
import { type Caller, CreateWebhookEndpoint } from "@querybell/domain";
import { freePort } from "@querybell/embedded-postgres";
import { createBenchAutomation } from "../automations/create-automation.ts";
import { openDuckdb } from "../runs/engines.ts";
import { apiEntry, type Child, startChild, workerEntry } from "../webhooks/child.ts";
import type { Installation } from "../webhooks/installation.ts";
import { startReceiver } from "../webhooks/receiver.ts";
import { startLoad } from "./load.ts";
import { startProxy } from "./proxy.ts";

interface WorldOptions {
  installation: Installation;
  /** Under which address the processes know the database. */
  databaseUrl: string;
  environment?: Record<string, string>;
}

const automationCount = 4;

/** Two apis behind a proxy, two workers, a receiver of webhooks, and programs that call. */
export async function startWorld(
  cleanup: AsyncDisposableStack,
  { installation, databaseUrl, environment: more = {} }: WorldOptions,
) {
  const { deps, settings } = installation;
  const receiver = await startReceiver({ keepsBodies: true });
  cleanup.defer(receiver.close);
  const owner = await installation.addOwner();
  await createEndpoint(
    deps,
    owner,
    CreateWebhookEndpoint.parse({ url: receiver.url, eventTypes: ["automation.run.completed"] }),
  );
  await mkdir(settings.DUCKDB_FOLDER, { recursive: true });
  const duckdb = await openDuckdb(installation, owner);
  await duckdb.close();
  const queryId = await createSquareQuery(installation, owner, duckdb.databaseId);
  const { shortId } = await createReference(deps, owner, { queryId, title: "Square" });
  const automationIds: string[] = [];
  for (let index = 0; index < automationCount; index++) {
    const automation = await createBenchAutomation(deps, owner, {
      name: `External ${index}`,
      agent: "external",
      references: [{ shortId, parameterValues: { n: "1" } }],
    });
    automationIds.push(automation.id);
  }
  const { key: apiKey } = await createKey(deps, owner, {
    name: "Load",
    scopes: ["queries:read", "queries:run", "automations:read", "automations:run"],
  });

  const log = new Map<string, number>();
  const fleet = createFleet(log, {
    ...installation.environment,
    DATABASE_URL: databaseUrl,
    RATE_LIMIT_PER_MINUTE: "1000000",
    ...more,
  });
  cleanup.defer(fleet.kill);
  await fleet.start();
  const proxy = await startProxy(fleet.ports);
  cleanup.defer(proxy.stop);
  const load = startLoad({ url: proxy.url, apiKey, automationIds, queryId });
  cleanup.defer(load.stop);
  return { receiver, fleet, load, log };
}

const createSquareQuery = async ({ deps }: Installation, owner: Caller, databaseId: string) => {
  const sql = "SELECT CAST({{n}} AS BIGINT) AS n, CAST({{n}} AS BIGINT) * CAST({{n}} AS BIGINT) AS square";
  return (await createQuery(deps, owner, { sql, analyticalDatabaseConfigId: databaseId })).id;
};

/** The processes of Querybell. Errors that they log are counted by their messages. */
function createFleet(log: Map<string, number>, environment: Record<string, string>) {
  const ports: number[] = [];
  const apis: Child[] = [];
  const workers: Child[] = [];
  const count = (line: string) => {
    const message = messageOf(line);
    log.set(message, (log.get(message) ?? 0) + 1);
  };
  const output = { onLine: count, onErrorLine: count };
  const startApi = (port: number) => startChild(apiEntry, { ...environment, PORT: String(port) }, output);
  const startWorker = () => startChild(workerEntry, environment, output);
  return {
    ports,
    async start(): Promise<void> {
      for (let index = 0; index < 2; index++) {
        const port = await freePort();
        ports.push(port);
        apis.push(await startApi(port));
        workers.push(await startWorker());
      }
    },
    /** Restarts one process after the other, as an upgrade does. A new api is waited for until it is ready. */
    async restart(): Promise<void> {
      for (const [index, worker] of workers.entries()) {
        await worker.stop();
        workers[index] = await startWorker();
      }
      for (const [index, api] of apis.entries()) {
        await api.stop();
        const port = ports[index] ?? 0;
        apis[index] = await startApi(port);
        await untilReady(port);
      }
    },
    async kill(): Promise<void> {
      await Promise.all([...apis, ...workers].map((child) => child.kill()));
    },
  };
}

/** Until the proxy has seen it, too. */
async function untilReady(port: number): Promise<void> {
  for (let answers = 0; answers < 3; ) {
    const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined);
    if (answer?.ok) answers++;
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  }
}

/** The message of a log line, and of its error. */
function messageOf(line: string): string {
  try {
    const { msg, err, app } = JSON.parse(line) as { msg?: string; err?: { message?: string }; app?: string };
    const parts = [app, msg, err?.message].filter((part) => part !== undefined && part !== "");
    return [...new Set(parts)]
      .join(": ")
      .replace(/[0-9a-f-]{36}/g, "…")
      .slice(0, 160);
  } catch {
    return line.slice(0, 160);
  }
}
