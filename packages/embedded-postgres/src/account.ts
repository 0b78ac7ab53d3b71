import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chmod, mkdir, open, rename, stat } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { EmbeddedPostgresError } from "./embedded-postgres-error.ts";

/** The system user that runs the server and owns its files. */
export interface Account {
  uid: number;
  gid: number;
}

const run = promisify(execFile);
const userName = "postgres";

export function isOwnAccount(account: Account): boolean {
  return account.uid === process.getuid?.();
}

/**
 * The current user, unless it is root: Postgres does not run as root. For root it is the owner of existing data
 * (the clone of an ordinary user, started with sudo), or else the user `postgres`.
 */
export async function serverAccount(folder: string): Promise<Account> {
  const own = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
  if (own.uid !== 0) return own;
  const data = await stat(join(folder, "data")).catch(() => undefined);
  if (data && data.uid !== 0) return { uid: data.uid, gid: data.gid };
  return (await findUser()) ?? (await createUser());
}

/** Whether the account may enter a folder. The kernel decides. */
export async function canEnter(account: Account, folder: string): Promise<boolean> {
  const asked = run("/bin/sh", ["-c", 'test -x "$1"', "sh", folder], { ...account, cwd: "/" });
  return asked.then(
    () => true,
    () => false,
  );
}

async function findUser(): Promise<Account | undefined> {
  const found = await run("getent", ["passwd", userName]).catch(() => undefined);
  const [, , uid, gid] = found?.stdout.split(":") ?? [];
  return uid && gid ? { uid: Number(uid), gid: Number(gid) } : undefined;
}

async function createUser(): Promise<Account> {
  const home = ["--no-create-home", "--home-dir", "/nonexistent", "--shell", "/usr/sbin/nologin"];
  let cause: unknown;
  try {
    await run("useradd", ["--system", "--user-group", ...home, userName]);
  } catch (error) {
    cause = error;
  }
  // Looked up even if creating it failed: a concurrent start may have created it.
  const user = await findUser();
  if (user) return user;
  throw new EmbeddedPostgresError(
    `Postgres refuses to run as root, and a system user "${userName}" could not be created for it: create one, start as an ordinary user, or set DATABASE_URL to use a database of your own.`,
    { cause },
  );
}

/** Writes a file atomically; only the account can read it. */
export async function writeOwnedFile(path: string, text: string, account: Account): Promise<void> {
  const partial = `${path}.${randomBytes(6).toString("hex")}`;
  await using file = await open(partial, "wx", 0o600);
  await file.chown(account.uid, account.gid);
  await file.writeFile(text);
  await rename(partial, path);
}

/**
 * Files for a server that root starts as another user, which may be unable to enter the clone (under /root, or in a
 * private temporary folder). All users may enter this folder; only root writes to it.
 */
export async function systemFolder(): Promise<string> {
  const folder = "/var/lib/querybell";
  await mkdir(folder, { recursive: true });
  // The umask applies to the mode of mkdir, but not to that of chmod.
  await chmod(folder, 0o755);
  return folder;
}
