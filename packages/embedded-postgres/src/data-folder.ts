import { chmod, lstat, mkdir, mkdtemp, readlink, realpath, rmdir, stat, symlink } from "node:fs/promises";
import { basename, join } from "node:path";
import { type Account, canEnter, isOwnAccount, systemFolder } from "./account.ts";
import { EmbeddedPostgresError } from "./embedded-postgres-error.ts";

/**
 * Creates the folder if it is missing and returns a real path that the account can enter.
 *
 * For an ordinary user that is the folder itself. For root too, if the server's user can enter it (a mounted
 * volume must keep its data). Otherwise the folder becomes a link to one in the system folder: `ls` shows
 * where the data is, and every path through the clone still works. The system folder's entry has a random
 * name, so that a new clone at an old path never finds an old clone's data.
 */
export async function resolveDataFolder(folder: string, account: Account): Promise<string> {
  const found = await lstat(folder).catch(() => undefined);
  const isLink = found?.isSymbolicLink() ?? false;
  if (isLink && !(await stat(folder).catch(() => undefined))) {
    throw new EmbeddedPostgresError(
      `The database folder ${folder} leads to ${await readlink(folder)}, which is gone: bring that back, or remove ${folder} to begin with an empty database.`,
    );
  }
  if (!found) await mkdir(folder);
  const serverFolder = await realpath(folder);
  const isOwn = isOwnAccount(account);
  // Other users may pass through to the data, but not list the folder.
  if ((await stat(serverFolder)).uid === process.getuid?.()) await chmod(serverFolder, isOwn ? 0o700 : 0o711);
  if (isOwn || (await canEnter(account, serverFolder))) return serverFolder;

  if (isLink || (await stat(join(serverFolder, "data")).catch(() => undefined))) {
    throw new EmbeddedPostgresError(
      `The user with id ${account.uid}, who runs Postgres here, cannot enter the database folder ${serverFolder}: allow everybody to enter (chmod o+x) each folder above it.`,
    );
  }
  return moveOutside(folder);
}

async function moveOutside(folder: string): Promise<string> {
  await rmdir(folder);
  const serverFolder = await mkdtemp(join(await systemFolder(), `${basename(folder)}-`));
  await chmod(serverFolder, 0o711);
  await symlink(serverFolder, folder);
  return serverFolder;
}
