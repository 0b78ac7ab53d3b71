import { mkdtemp, readdir, realpath, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { serverAccount } from "./account.ts";
import { dataFolder } from "./cluster.ts";
import type { DatabaseServer } from "./create-database.ts";
import { lockFolder } from "./folder-lock.ts";
import { clusterName, stopServerProcesses } from "./server-processes.ts";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "./start-embedded-postgres.ts";

const prefix = "querybell-throwaway-";

/** The server that `npm test` runs for the tests of all packages. */
export function findSharedPostgres(): DatabaseServer | undefined {
  const { QUERYBELL_TEST_POSTGRES_URL: url, QUERYBELL_TEST_POSTGRES_SUPERUSER_URL: superuserUrl } =
    process.env;
  return url && superuserUrl ? { url, superuserUrl } : undefined;
}

/** A new, empty server for tests. `stop` removes it with its data. The next start removes servers that were not stopped. */
export async function startThrowawayPostgres(): Promise<EmbeddedPostgres> {
  const parent = await realpath(tmpdir());
  await sweep(parent);
  const folder = await mkdtemp(join(parent, prefix));
  await using cleanup = new AsyncDisposableStack();
  cleanup.defer(() => remove(folder));
  const postgres = await startEmbeddedPostgres({ folder, profile: "fast" });
  const held = cleanup.move();
  held.defer(postgres.stop);
  let stopping: Promise<void> | undefined;
  return { ...postgres, stop: () => (stopping ??= held.disposeAsync()) };
}

async function sweep(parent: string): Promise<void> {
  for (const entry of await readdir(parent)) {
    // Folders that are locked or belong to another user are kept.
    if (entry.startsWith(prefix)) await removeAbandoned(join(parent, entry)).catch(() => {});
  }
}

async function removeAbandoned(folder: string): Promise<void> {
  const { uid } = await stat(folder);
  // An empty folder may be new: its content is created under the lock.
  if (uid !== process.getuid?.() || (await readdir(folder)).length === 0) return;
  await using _lock = await lockFolder(folder);
  const data = dataFolder(await realpath(folder));
  if (await stat(data).catch(() => undefined)) {
    const account = await serverAccount(folder);
    await stopServerProcesses({ name: clusterName(data), uid: account.uid }, "immediate");
  }
  await remove(folder);
}

/** The folder and, for root, the folder that it may link to. */
async function remove(folder: string): Promise<void> {
  const serverFolder = await realpath(folder);
  await rm(serverFolder, { recursive: true, force: true, maxRetries: 10 });
  await rm(folder, { recursive: true, force: true });
}
