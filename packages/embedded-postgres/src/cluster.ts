import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { chown, mkdtemp, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { writeOwnedFile } from "./account.ts";
import { EmbeddedPostgresError, explainLog, isSystemError } from "./embedded-postgres-error.ts";
import { hasEnded, type Invocation, runProgram, type ServerContext } from "./server-program.ts";
import type { Profile } from "./settings.ts";

/** The role that the product uses, and the database that it owns. */
export const owner = "querybell";
/** Only creates the role and the database. Older data folders lack it: their superuser is the owner. */
const superuser = "postgres";

export const dataFolder = (serverFolder: string) => join(serverFolder, "data");
const passwordFile = (serverFolder: string) => join(serverFolder, "password");
const superuserPasswordFile = (serverFolder: string) => join(serverFolder, "superuser-password");

export async function clusterExists(where: ServerContext): Promise<boolean> {
  const data = dataFolder(where.serverFolder);
  const found = await stat(data).catch((error: unknown) => {
    if (isSystemError(error) && error.code === "ENOENT") return undefined;
    throw error;
  });
  if (!found) return false;
  if (found.uid !== where.account.uid) {
    throw new EmbeddedPostgresError(
      `The data in ${data} belongs to another user (id ${found.uid}): start as that user or as root, or remove ${where.serverFolder} to begin with an empty database.`,
    );
  }
  const made = (await readFile(join(data, "PG_VERSION"), "utf8").catch(() => "")).trim();
  const [major] = where.programs.version.split(".");
  if (made === "") {
    throw new EmbeddedPostgresError(`The folder ${data} is not a Postgres data folder: move it away.`);
  }
  if (made !== major) {
    throw new EmbeddedPostgresError(
      `The data in ${data} was made by Postgres ${made} and this is Postgres ${major}: move the folder away to begin with an empty database, or run Postgres ${made} on it and set DATABASE_URL.`,
    );
  }
  return true;
}

/** Creates the data folder. It is renamed into place when it is complete, so an interrupted start leaves none. */
export async function createCluster(where: ServerContext, profile: Profile): Promise<void> {
  const { serverFolder, account } = where;
  for (const entry of await readdir(serverFolder)) {
    if (entry.startsWith("preparing-")) await remove(join(serverFolder, entry));
  }
  const password = randomPassword();
  await writeOwnedFile(passwordFile(serverFolder), password, account);
  await writeOwnedFile(superuserPasswordFile(serverFolder), randomPassword(), account);
  const preparing = await mkdtemp(join(serverFolder, "preparing-"));
  await chown(preparing, account.uid, account.gid);
  try {
    await runToEnd(where, initdb(serverFolder, preparing, profile));
    await runToEnd(where, createDatabase(preparing, password));
    await rename(preparing, dataFolder(serverFolder));
  } catch (cause) {
    await remove(preparing);
    throw cause;
  }
}

// An initdb whose launcher was killed may still be writing for a moment.
const remove = (folder: string) => rm(folder, { recursive: true, force: true, maxRetries: 10 });

const randomPassword = () => randomBytes(24).toString("base64url");

export interface Credentials {
  user: string;
  password: string;
}

/** Who may log in: the owner of the database, and the superuser. */
export async function readCredentials(
  serverFolder: string,
): Promise<{ owner: Credentials; superuser: Credentials }> {
  const ownerCredentials = { user: owner, password: await readPassword(serverFolder) };
  const found = await readFile(superuserPasswordFile(serverFolder), "utf8").catch(() => undefined);
  return {
    owner: ownerCredentials,
    superuser: found === undefined ? ownerCredentials : { user: superuser, password: found.trim() },
  };
}

async function readPassword(serverFolder: string): Promise<string> {
  try {
    return (await readFile(passwordFile(serverFolder), "utf8")).trim();
  } catch (cause) {
    throw new EmbeddedPostgresError(
      `The password of the database cannot be read from ${passwordFile(serverFolder)}: bring that file back, or remove ${serverFolder} to begin with an empty database.`,
      { cause },
    );
  }
}

// The built-in locale orders by code point and knows Unicode's cases, whatever the machine has installed.
function initdb(serverFolder: string, data: string, profile: Profile): Invocation {
  const locale = ["--encoding=UTF8", "--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C"];
  const password = `--pwfile=${superuserPasswordFile(serverFolder)}`;
  const access = [`--username=${superuser}`, password, "--auth=scram-sha-256"];
  const care = ["--data-checksums", ...(profile === "fast" ? ["--no-sync"] : [])];
  return {
    program: "initdb",
    args: ["--pgdata", data, ...locale, ...access, ...care, "--set", "huge_pages=off", "--no-instructions"],
    logName: "initdb.log",
  };
}

const createDatabase = (data: string, password: string): Invocation => ({
  program: "postgres",
  // Statements that fail are not logged, because one of them contains the password.
  args: ["--single", "-D", data, "-c", "exit_on_error=on", "-c", "log_min_error_statement=panic", "postgres"],
  input: `CREATE ROLE ${owner} LOGIN PASSWORD '${password}'\nCREATE DATABASE ${owner} OWNER ${owner}\n`,
  logName: "initdb.log",
});

async function runToEnd(where: ServerContext, invocation: Invocation): Promise<void> {
  const { child, log } = await runProgram(where, invocation);
  if (!hasEnded(child)) await once(child, "exit");
  if (child.exitCode !== 0) throw explainLog("preparing a new database folder", await log());
}
