import { execFile } from "node:child_process";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { EmbeddedPostgresError } from "./embedded-postgres-error.ts";

/** The user that the server's processes run as, and that owns its files. */
export interface Account {
  uid: number;
  gid: number;
}

const run = promisify(execFile);
const userName = "postgres";

/**
 * Ourselves, unless we are root: Postgres refuses to run as root. Then it is the owner of the data that
 * is already there (the clone of an ordinary user, started with sudo), or else the user `postgres`.
 */
export async function serverAccount(folder: string): Promise<Account> {
  const uid = process.getuid?.();
  const gid = process.getgid?.();
  if (uid === undefined || gid === undefined) throw new EmbeddedPostgresError("This system has no user ids.");
  if (uid !== 0) return { uid, gid };
  const data = await stat(join(folder, "data")).catch(() => undefined);
  if (data && data.uid !== 0) return { uid: data.uid, gid: data.gid };
  return (await findUser()) ?? (await createUser());
}

/** Whether the account may enter a folder or run a program, as the kernel itself decides it. */
export async function canReach(account: Account, path: string): Promise<boolean> {
  const asked = run("/bin/sh", ["-c", 'test -x "$1"', "sh", path], { ...account, cwd: "/" });
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
  const options = ["--system", "--user-group", "--no-create-home", "--home-dir", "/nonexistent"];
  try {
    await run("useradd", [...options, "--shell", "/usr/sbin/nologin", userName]);
  } catch (cause) {
    // Another start may have created it at the same moment.
    const user = await findUser();
    if (user) return user;
    throw new EmbeddedPostgresError(
      `Postgres refuses to run as root, and the system user "${userName}" could not be created: create it, start as an ordinary user, or set DATABASE_URL.`,
      { cause },
    );
  }
  const user = await findUser();
  if (!user)
    throw new EmbeddedPostgresError(`The system user "${userName}" was created but cannot be found.`);
  return user;
}
