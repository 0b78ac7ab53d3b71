import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { type Database, engineOf } from "@querybell/engines";

export interface DatabaseFiles {
  paths: string[];
  /** The folder that the host may write to, if any. */
  workspace?: string;
  /** Changes when a file is replaced: a host keeps seeing the file that it was started with. */
  identity: string;
}

export const noFiles: DatabaseFiles = { paths: [], identity: "" };

/** The existing files of a database. Symbolic links are ignored, because they could lead out of the folder. */
export async function findDatabaseFiles(database: Database, dataFolder: string): Promise<DatabaseFiles> {
  const found = await Promise.all(
    engineOf(database.engine)
      .files(database.configuration)
      .map(async (name) => {
        const path = join(dataFolder, name);
        const stats = await lstat(path).catch(() => undefined);
        if (!stats?.isFile()) return [];
        // A new file can have the number of one that was deleted before.
        const { dev, ino, birthtimeMs } = stats;
        return [{ path, identity: `${path}:${dev}:${ino}:${birthtimeMs}` }];
      }),
  );
  return {
    paths: found.flat().map(({ path }) => path),
    identity: found
      .flat()
      .map(({ identity }) => identity)
      .join(),
  };
}

/** How often a task is tried if its file is replaced each time before a host has opened it. */
const maxAttempts = 10;

interface FilesAttempt<Outcome> {
  runOn: (files: DatabaseFiles) => Promise<Outcome>;
  /** Whether the host could not open them. */
  isUnreachable: (outcome: Outcome) => boolean;
}

/**
 * Runs a task on the files of a database. A host may open only the file that was there when it was started: one that has
 * replaced it meanwhile needs another host. The task may have waited for this one, and it may be replaced again until then.
 */
export async function withCurrentFiles<Outcome>(
  database: Database,
  dataFolder: string,
  { runOn, isUnreachable }: FilesAttempt<Outcome>,
): Promise<Outcome> {
  let files = await findDatabaseFiles(database, dataFolder);
  for (let attempt = 1; ; attempt++) {
    const outcome = await runOn(files);
    if (files.paths.length === 0 || attempt === maxAttempts || !isUnreachable(outcome)) return outcome;
    const filesNow = await findDatabaseFiles(database, dataFolder);
    if (filesNow.identity === files.identity) return outcome;
    files = filesNow;
  }
}
