import { mkdtemp, readdir, realpath, rm, stat, statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { serverAccount } from "./account.ts";
import { dataFolder } from "./cluster.ts";
import type { DatabaseServer } from "./create-database.ts";
import { lockFolder } from "./folder-lock.ts";
import { clusterName, stopServerProcesses } from "./server-processes.ts";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "./start-embedded-postgres.ts";

const prefix = "querybell-throwaway-";
const memoryFolder = "/dev/shm";
const tmpfs = 0x01021994;
/** The databases of a whole `npm test` take a quarter of a GiB at once, and the log up to one. */
const roomyBytes = 4 * 2 ** 30;

/** The server that `npm test` runs for the tests of all packages. */
export function findSharedPostgres(): DatabaseServer | undefined {
  const { QUERYBELL_TEST_POSTGRES_URL: url, QUERYBELL_TEST_POSTGRES_SUPERUSER_URL: superuserUrl } =
    process.env;
  return url && superuserUrl ? { url, superuserUrl } : undefined;
}

/** A new, empty server for tests. `stop` removes it with its data. The next start removes servers that were not stopped. */
export async function startThrowawayPostgres(): Promise<EmbeddedPostgres> {
  const onDisk = await realpath(tmpdir());
  for (const parent of [onDisk, memoryFolder]) await sweep(parent);
  const parent = (await hasRoomInMemory()) ? memoryFolder : onDisk;
  const folder = await mkdtemp(join(parent, prefix));
  await using cleanup = new AsyncDisposableStack();
  cleanup.defer(() => remove(folder));
  const postgres = await startEmbeddedPostgres({ folder, profile: "fast" });
  const held = cleanup.move();
  held.defer(postgres.stop);
  let stopping: Promise<void> | undefined;
  return { ...postgres, stop: () => (stopping ??= held.disposeAsync()) };
}

/**
 * Whether the data can be in memory. A database has about a thousand files, and ext4 takes up to half a second of
 * processor time to create them while it remembers those of databases dropped before; tmpfs a tenth of that.
 */
async function hasRoomInMemory(): Promise<boolean> {
  const found = await statfs(memoryFolder).catch(() => undefined);
  if (found?.type !== tmpfs || found.bavail * found.bsize < roomyBytes) return false;
  return process.availableMemory() >= 2 * roomyBytes;
}

async function sweep(parent: string): Promise<void> {
  for (const entry of await readdir(parent).catch(() => [])) {
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
