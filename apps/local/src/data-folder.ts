import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { generateKey } from "@querybell/sealing";
import { StartError, systemCode } from "./start-error.ts";

/** Makes the folder for everything that `npm start` keeps: the database, the keys, the logs. */
export async function prepareDataFolder(folder: string): Promise<void> {
  try {
    await mkdir(join(folder, "logs"), { recursive: true });
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
  try {
    // With `wx` one of two starts at once writes, and both read what it wrote.
    await writeFile(file, `${generateKey("dev1")}\n`, { mode: 0o600, flag: "wx" });
  } catch (error) {
    if (systemCode(error) !== "EEXIST") throw error;
  }
  await chmod(file, 0o600);
  return (await readFile(file, "utf8")).trim();
}
