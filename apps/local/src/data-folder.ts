import { chmod, link, mkdir, readFile, realpath, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { tryLockFolder } from "@querybell/embedded-postgres";
import { generateKey } from "@querybell/sealing";
import { type LaunchCommand, StartError, systemCode } from "./start-error.ts";

/** Creates the data folder: database, keys, logs. */
export async function prepareDataFolder(folder: string, command: LaunchCommand): Promise<void> {
  try {
    await createFolder(join(folder, "logs"));
    // Other users may enter the folder: the embedded Postgres may run as another user.
    await chmod(join(folder, "logs"), 0o700);
    await writeFile(join(folder, ".gitignore"), "*\n");
  } catch (error) {
    if (["EACCES", "EROFS", "EPERM", "ENOTDIR", "ENOENT"].includes(systemCode(error) ?? "")) {
      throw new StartError(
        `The folder ${folder} cannot be written to; make it writable, or choose another with DATA_FOLDER=/some/folder ${command}.`,
      );
    }
    throw error;
  }
}

/** One start for each folder: two would create its keys, its database and its demo at once. */
export async function lockDataFolder(folder: string, command: LaunchCommand): Promise<AsyncDisposable> {
  const lock = await tryLockFolder(await realpath(folder), "start");
  if (lock) return lock;
  throw new StartError(
    `Another npm start or pnpm dev is using the folder ${folder}; stop that one, or choose another folder with DATA_FOLDER=/some/folder ${command}.`,
  );
}

/** Creates a folder and those above it. Node's recursive `mkdir` never ends where none can be created, such as in `/proc`. */
async function createFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder);
  } catch (error) {
    if (systemCode(error) === "EEXIST") return;
    if (systemCode(error) !== "ENOENT" || dirname(folder) === folder) throw error;
    await createFolder(dirname(folder));
    await mkdir(folder);
  }
}

/** The development keys: created on the first start, in a file that only its owner can read. */
export async function readOrCreateSealingKeys(folder: string): Promise<string> {
  const file = join(folder, "sealing-keys");
  await writeOnce(file, `${generateKey("dev1")}\n`);
  await chmod(file, 0o600);
  const keys = (await readFile(file, "utf8")).trim();
  if (keys === "") {
    throw new StartError(
      `The file ${file} is empty; bring it back from a backup, or remove it to begin with a new key.`,
    );
  }
  return keys;
}

const demoKeyFile = (folder: string) => join(folder, "demo-key");

/** The demo's API key from an earlier start. */
export async function readDemoKey(folder: string): Promise<string | undefined> {
  try {
    return (await readFile(demoKeyFile(folder), "utf8")).trim();
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** Stores the key for the next start, in a file that only its owner can read. */
export async function writeDemoKey(folder: string, key: string): Promise<void> {
  const draft = `${demoKeyFile(folder)}.${process.pid}`;
  await writeFile(draft, `${key}\n`, { mode: 0o600 });
  await rename(draft, demoKeyFile(folder));
}

/** Creates the file atomically unless it exists. Of two concurrent starts one writes it, and both read it. */
async function writeOnce(file: string, text: string): Promise<void> {
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, text, { mode: 0o600 });
  try {
    await link(draft, file);
  } catch (error) {
    if (systemCode(error) !== "EEXIST") throw error;
  } finally {
    await rm(draft);
  }
}
