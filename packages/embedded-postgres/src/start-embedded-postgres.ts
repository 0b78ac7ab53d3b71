import { once } from "node:events";
import { mkdir, realpath } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { serverAccount } from "./account.ts";
import {
  type Credentials,
  clusterExists,
  createCluster,
  dataFolder,
  owner,
  readCredentials,
} from "./cluster.ts";
import { resolveDataFolder } from "./data-folder.ts";
import { explainFailure } from "./embedded-postgres-error.ts";
import { lockFolder } from "./folder-lock.ts";
import { installedPrograms, type Programs, reachablePrograms } from "./programs.ts";
import { clearPidFile, hasPidFile, serverLog, startServer } from "./server.ts";
import { clusterName, serverProcesses, stopServerProcesses } from "./server-processes.ts";
import { hasEnded, type ServerContext, trimLog } from "./server-program.ts";
import { type Profile, type Settings, settingsFor } from "./settings.ts";

export interface EmbeddedPostgresOptions {
  /** The data folder; created if it is missing. */
  folder: string;
  /** Called with a short sentence at the start of each slow step. */
  onProgress?: (sentence: string) => void;
  /** `fast` gives up durability, for tests; the default is `durable`. */
  profile?: Profile;
  /** Further Postgres settings, over those of the profile. */
  settings?: Settings;
  /** The programs of Postgres. Default: those of the installed registry package. */
  programs?: Programs;
}

export interface EmbeddedPostgres {
  /** Contains the password. The user owns the database and is no superuser. A new database is empty. */
  url: string;
  /** For what no ordinary role may do: other roles and databases, extensions, settings of the server. */
  superuserUrl: string;
  port: number;
  /** The real path of the data, which for root may be outside of the given folder. */
  serverFolder: string;
  /** Resolves when the server has ended, whether it was stopped or not. */
  ended: Promise<void>;
  /** Resolves when no process is left. May be called again. */
  stop(): Promise<void>;
}

const logCheckInterval = 10 * 60_000;

/**
 * Rejects with an `EmbeddedPostgresError`, whose message is for the user. A start cannot be cancelled: to stop during a
 * start, await it and then call `stop`.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const given = resolve(options.folder);
  try {
    const installed = options.programs ?? (await installedPrograms());
    await mkdir(dirname(given), { recursive: true });
    const folder = join(await realpath(dirname(given)), basename(given));

    await using locks = new AsyncDisposableStack();
    locks.use(await lockFolder(folder));
    const account = await serverAccount(folder);
    const programs = await reachablePrograms(installed, account);
    const serverFolder = await resolveDataFolder(folder, account);
    // Two folders may link to the same place.
    if (serverFolder !== folder) locks.use(await lockFolder(serverFolder));

    const postgres = await startLocked({ programs, account, serverFolder }, options);
    const held = locks.move();
    held.defer(postgres.stop);
    let stopping: Promise<void> | undefined;
    return { ...postgres, stop: () => (stopping ??= held.disposeAsync()) };
  } catch (cause) {
    throw explainFailure(cause, given);
  }
}

async function startLocked(
  where: ServerContext,
  { profile = "durable", settings, onProgress = () => {} }: EmbeddedPostgresOptions,
): Promise<EmbeddedPostgres> {
  const { serverFolder, account } = where;
  if (!(await clusterExists(where))) {
    onProgress("Preparing a new database folder");
    await createCluster(where, profile);
  }
  const credentials = await readCredentials(serverFolder);
  const cluster = { name: clusterName(dataFolder(serverFolder)), uid: account.uid };
  const isUnclean = serverProcesses(cluster).length > 0 || (await hasPidFile(serverFolder));
  onProgress(isUnclean ? "Recovering after an unclean stop" : "Starting Postgres");
  await stopServerProcesses(cluster, "fast");
  await clearPidFile(where);

  const { port, child } = await startServer(where, cluster, settingsFor(profile, settings)).catch(
    async (cause) => {
      await stopServerProcesses(cluster, "immediate");
      throw cause;
    },
  );
  const logCheck = setInterval(
    () => trimLog(join(serverFolder, serverLog)).catch(() => {}),
    logCheckInterval,
  );
  logCheck.unref();
  const ended = hasEnded(child) ? Promise.resolve() : once(child, "exit").then(() => clearInterval(logCheck));
  const urlFor = ({ user, password }: Credentials) =>
    `postgres://${user}:${password}@127.0.0.1:${port}/${owner}`;
  return {
    url: urlFor(credentials.owner),
    superuserUrl: urlFor(credentials.superuser),
    port,
    serverFolder,
    ended,
    async stop() {
      await stopServerProcesses(cluster, profile === "fast" ? "immediate" : "fast");
      await ended;
    },
  };
}
