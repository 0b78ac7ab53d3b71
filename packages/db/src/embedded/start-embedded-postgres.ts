import { resolve } from "node:path";
import { serverAccount } from "./account.ts";
import { clusterExists, createCluster, dataFolder, owner, readPassword } from "./cluster.ts";
import { explainFailure } from "./embedded-postgres-error.ts";
import { lockFolder } from "./folder-lock.ts";
import { settle } from "./place.ts";
import { installedPrograms, type Programs, reachablePrograms } from "./programs.ts";
import { clearPidFile, startServer } from "./server.ts";
import { clusterName, stopServerProcesses } from "./server-processes.ts";
import type { Surroundings } from "./server-program.ts";
import { type Profile, type Settings, settingsFor } from "./settings.ts";

export interface EmbeddedPostgresOptions {
  /** Where the data lives; made when it is not there. */
  folder: string;
  /** Called with a short sentence whenever something begins that takes a moment. */
  onProgress?: (sentence: string) => void;
  /** `fast` gives up durability, for tests; the default is `durable`. */
  profile?: Profile;
  /** Further Postgres settings, over those of the profile. */
  settings?: Settings;
  /** Another build of Postgres than the installed registry package. */
  programs?: Programs;
}

export interface EmbeddedPostgres {
  /** With the password in it; the user is a superuser, and the database is empty at first. */
  url: string;
  port: number;
  /** Where the data really is, which for root may be outside of the given folder. */
  place: string;
  /** Resolves when no process is left. May be called again. */
  stop(): Promise<void>;
}

/** Rejects with an `EmbeddedPostgresError` whose message is for the person who started this. */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const folder = resolve(options.folder);
  try {
    const account = await serverAccount(folder);
    const programs = await reachablePrograms(options.programs ?? (await installedPrograms()), account);
    const place = await settle(folder, account);
    const lock = await lockFolder(place);
    try {
      return await startLocked({ programs, account, place }, options, lock.release);
    } catch (cause) {
      await lock.release();
      throw cause;
    }
  } catch (cause) {
    throw explainFailure(cause, folder);
  }
}

async function startLocked(
  where: Surroundings,
  { profile = "durable", settings, onProgress = () => {} }: EmbeddedPostgresOptions,
  release: () => Promise<void>,
): Promise<EmbeddedPostgres> {
  const { place, account } = where;
  const isNew = !(await clusterExists(where));
  if (isNew) {
    onProgress("Preparing a new database folder");
    await createCluster(where, profile);
  }
  const cluster = { name: clusterName(dataFolder(place)), uid: account.uid };
  const orphans = isNew ? 0 : await stopServerProcesses(cluster, "fast");
  const unclean = await clearPidFile(where);
  onProgress(orphans > 0 || unclean ? "Recovering after an unclean stop" : "Starting Postgres");

  const password = await readPassword(place);
  let port: number;
  try {
    port = await startServer(where, cluster, settingsFor(profile, settings));
  } catch (cause) {
    await stopServerProcesses(cluster, "immediate");
    throw cause;
  }
  const stopNow = async () => {
    await stopServerProcesses(cluster, profile === "fast" ? "immediate" : "fast");
    await release();
  };
  let stopping: Promise<void> | undefined;
  return {
    url: `postgres://${owner}:${password}@127.0.0.1:${port}/${owner}`,
    port,
    place,
    stop: () => (stopping ??= stopNow()),
  };
}
