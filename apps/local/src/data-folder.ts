import { chmod, link, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { generateKey } from "@querybell/sealing";
import { StartError, systemCode } from "./start-error.ts";

/** Makes the folder for everything that `npm start` keeps: the database, the keys, the logs. */
export async function prepareDataFolder(folder: string): Promise<void> {
  try {
    await mkdir(join(folder, "logs"), { recursive: true });
    // The folder itself stays open: the embedded Postgres may run as a user of its own.
    await chmod(join(folder, "logs"), 0o700);
    await writeFile(join(folder, ".gitignore"), "*\n");
  } catch (error) {
    if (["EACCES", "EROFS", "EPERM", "ENOTDIR"].includes(systemCode(error) ?? "")) {
      throw new StartError(
        `The folder ${folder} cannot be written to; make it writable, or choose another with DATA_FOLDER=/some/folder npm start.`,
      );
    }
    throw error;
  }
}

/** The development keys: made on the first start, kept in a file that only its owner may read. */
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

/** The text of the demo's API key, as an earlier start has written it. */
export async function readDemoKey(folder: string): Promise<string | undefined> {
  try {
    return (await readFile(demoKeyFile(folder), "utf8")).trim();
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** Keeps the key for the next start, in a file that only its owner may read. */
export async function writeDemoKey(folder: string, key: string): Promise<void> {
  const draft = `${demoKeyFile(folder)}.${process.pid}`;
  await writeFile(draft, `${key}\n`, { mode: 0o600 });
  await rename(draft, demoKeyFile(folder));
}

/** Whole or not at all, and only if it is not there yet: of two starts at once one writes, and both read that. */
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
