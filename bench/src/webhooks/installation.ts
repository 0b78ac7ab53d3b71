import { mkdtemp, readFile, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Deps } from "@querybell/core";
import { createUser } from "@querybell/core/identity";
import { closeDeps, openDeps } from "@querybell/core/open-deps";
import { createEndpoint } from "@querybell/core/webhooks";
import { type Caller, CreateWebhookEndpoint, newId, systemClock } from "@querybell/domain";
import {
  type EmbeddedPostgres,
  sendSignal,
  startEmbeddedPostgres,
  withConnection,
} from "@querybell/embedded-postgres";
import { applyMigrations } from "@querybell/prisma";
import { generateKey } from "@querybell/sealing";

interface AddedEndpoint {
  organizationId: string;
  endpointId: string;
  /** The organization's owner. */
  caller: Caller;
}

/** A new database with the schema, and the settings for processes that use it. */
export interface Installation {
  deps: Deps;
  settings: Parameters<typeof openDeps>[0]["settings"];
  /** For what only a superuser may do. The processes use an ordinary role. */
  superuserUrl: string;
  /** The server that was started last. */
  server(): EmbeddedPostgres;
  environment: Record<string, string>;
  /** A new organization with its owner. */
  addOwner(): Promise<Caller>;
  /** An organization with one endpoint for each of the URLs. */
  addEndpoints(urls: string[]): Promise<AddedEndpoint[]>;
  /** Kills all processes of Postgres at once. */
  killPostgres(): Promise<void>;
  /** Stops Postgres as an operator does: open transactions are rolled back. */
  stopPostgres(): Promise<void>;
  /** Starts Postgres after it was killed or stopped, or has ended. */
  restartPostgres(): Promise<void>;
  /** False once Postgres has ended, for example because its disk was full. */
  isPostgresRunning(): boolean;
  dispose(): Promise<void>;
}

interface InstallationOptions {
  onError: (error: unknown) => void;
  /** An empty folder for the databases and files; default: a new temporary folder. Deleted in the end. */
  folder?: string;
  /** Further settings of Postgres. */
  postgresSettings?: Record<string, string>;
}

/** Lets the ordinary role see, and reset, what its statements cost, and begin a measurement after a checkpoint. */
const allowMeasuring = (databaseUrl: string): string => `
  CREATE EXTENSION pg_stat_statements;
  GRANT EXECUTE ON FUNCTION pg_stat_statements_reset TO PUBLIC;
  GRANT pg_checkpoint TO ${new URL(databaseUrl).username}`;

/** With durable writes, as in production. */
export async function startInstallation(options: InstallationOptions): Promise<Installation> {
  const { onError, postgresSettings } = options;
  const folder = options.folder ?? (await mkdtemp(join(await realpath(tmpdir()), "querybell-bench-")));
  let isRunning = false;
  const start = async () => {
    const started = await startEmbeddedPostgres({
      folder: join(folder, "postgres"),
      profile: "durable",
      settings: { shared_preload_libraries: "pg_stat_statements", ...postgresSettings },
    });
    isRunning = true;
    started.ended.then(() => {
      isRunning = false;
    });
    return started;
  };
  let postgres = await start();
  await applyMigrations(postgres.url);
  await withConnection(postgres.superuserUrl, (client) => client.query(allowMeasuring(postgres.url)));
  const settings = {
    DATABASE_URL: postgres.url,
    DATABASE_POOL_SIZE: 10,
    SEALING_KEYS: generateKey("bench"),
    PUBLIC_URL: "http://localhost:4000",
    REST_COMPATIBILITY: "retired" as const,
    DUCKDB_FOLDER: join(folder, "duckdb"),
    ANALYTICS_NETWORKS: "",
    // A model that the bench plays is on this machine.
    MODEL_NETWORKS: "127.0.0.0/8",
    WEBHOOK_ALLOW_LOOPBACK: true,
  };
  const deps = openDeps({ settings, clock: systemClock, onError });
  const environment = {
    ...Object.fromEntries(Object.entries(settings).map(([name, value]) => [name, String(value)])),
    WEBHOOK_ALLOW_LOOPBACK: "1",
    NODE_ENV: "test",
    LOG_LEVEL: "error",
    WORKER_PORT: "0",
  };
  return {
    deps,
    settings,
    superuserUrl: postgres.superuserUrl,
    server: () => postgres,
    environment,
    addOwner: async () => addOrganization(deps, await addUser(deps)),
    addEndpoints: (urls) => addEndpoints(deps, urls),
    killPostgres: () => killServer(postgres),
    stopPostgres: () => postgres.stop(),
    async restartPostgres() {
      await postgres.stop();
      postgres = await start();
    },
    isPostgresRunning: () => isRunning,
    async dispose() {
      await closeDeps(deps).catch(onError);
      await postgres.stop();
      await rm(postgres.serverFolder, { recursive: true, force: true });
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Kills all processes of a server at once. */
export async function killServer(postgres: EmbeddedPostgres): Promise<void> {
  await signalServer(postgres, "SIGKILL");
  await postgres.ended;
  await postgres.stop();
}

/** Sends a signal to all processes of a server. */
export async function signalServer(
  { serverFolder }: EmbeddedPostgres,
  signal: NodeJS.Signals,
): Promise<void> {
  const [text] = (await readFile(join(serverFolder, "data/postmaster.pid"), "utf8")).split("\n");
  const postmaster = Number(text);
  const children = await readFile(`/proc/${postmaster}/task/${postmaster}/children`, "utf8");
  sendSignal(signal, [postmaster, ...children.split(" ").filter(Boolean).map(Number)]);
}

async function addUser(deps: Deps): Promise<string> {
  const email = `${newId(deps.clock)}@example.test`;
  return deps.db.transaction((tx) =>
    createUser({ ...deps, tx }, { name: "Bench", email, password: newId(deps.clock), emailVerified: true }),
  );
}

async function addOrganization({ db, clock }: Deps, userId: string): Promise<Caller> {
  const id = newId(clock);
  await db.prisma.organization.create({
    data: {
      id,
      name: "Bench",
      slug: `bench-${id}`,
      webhooksEnabled: true,
      restCompatibility: "retired",
      createdAt: clock.now(),
      members: { create: { userId, role: "owner", createdAt: clock.now() } },
    },
  });
  return { userId, organizationId: id, role: "owner", via: { kind: "session", sessionId: id } };
}

async function addEndpoints(deps: Deps, urls: string[]) {
  const userId = await addUser(deps);
  const added: AddedEndpoint[] = [];
  for (const url of urls) {
    const caller = await addOrganization(deps, userId);
    const input = CreateWebhookEndpoint.parse({ url, eventTypes: ["automation.run.completed"] });
    const endpoint = await createEndpoint(deps, caller, input);
    added.push({ organizationId: caller.organizationId, endpointId: endpoint.id, caller });
  }
  return added;
}
