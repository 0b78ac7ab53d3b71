import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { freePort } from "@querybell/embedded-postgres";
import { withAddress } from "./moving-address.ts";

const run = promisify(execFile);

interface PoolerOptions {
  /** The database behind it. */
  url: string;
  mode: "session" | "transaction";
  /** The ids of the user that runs it: PgBouncer refuses to run as root. */
  account: { uid: number; gid: number };
}

/** Debian's PgBouncer on a free port, in front of a database. */
export async function startPooler({ url, mode, account: { uid, gid } }: PoolerOptions) {
  const script = fileURLToPath(new URL("../../../scripts/ensure-pgbouncer.ts", import.meta.url));
  const { stdout: program } = await run(process.execPath, [script]);
  const { hostname, port, username, password, pathname } = new URL(url);
  const folder = await mkdtemp(join(await realpath(tmpdir()), "querybell-pgbouncer-"));
  await chmod(folder, 0o755);
  const listenPort = await freePort();
  const users = join(folder, "users.txt");
  await writeFile(users, `"${username}" "${decodeURIComponent(password)}"\n`);
  const settings = join(folder, "pgbouncer.ini");
  await writeFile(
    settings,
    `[databases]
${pathname.slice(1)} = host=${hostname} port=${port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${listenPort}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${users}
pool_mode = ${mode}
max_client_conn = 500
default_pool_size = 80
server_login_retry = 1
`,
  );
  const child = spawn(program.trim(), [settings], { uid, gid, stdio: "ignore", detached: true });
  const ended = once(child, "exit");
  while (!(await answers(listenPort))) {
    if (child.exitCode !== null) throw new Error("PgBouncer did not start.");
    await delay(50);
  }
  return {
    url: withAddress(url, listenPort),
    async stop() {
      child.kill("SIGKILL");
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const answers = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });
