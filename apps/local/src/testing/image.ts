import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, chown, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { freePort, startThrowawayPostgres } from "@querybell/embedded-postgres";
import { generateKey } from "@querybell/sealing";
import { repository } from "../env.ts";

const run = promisify(execFile);
const runInImage = join(repository, "deploy/run-in-image.sh");
const userOfImage = 10_001;
const healthTries = 60;

/** Runs the processes of the image, as the compose file does, beside a Postgres and a proxy of this machine. */
export async function startImage(root: string) {
  const [chromium, caddy] = [await ensure("chromium"), await ensure("caddy")];
  await using started = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), "querybell-image-"));
  started.defer(() => rm(folder, { recursive: true, force: true }));
  await chmod(folder, 0o755);
  const postgres = await startThrowawayPostgres();
  started.defer(postgres.stop);
  for (const name of ["data", "backups", "secrets"]) {
    await mkdir(join(folder, name), { mode: 0o700 });
    await chown(join(folder, name), userOfImage, userOfImage);
  }
  const secrets = { database_url: postgres.url, sealing_keys: generateKey("k1") };
  for (const [name, value] of Object.entries(secrets)) {
    await writeFile(join(folder, "secrets", name), `${value}\n`, { mode: 0o444 });
  }
  const [apiPort, proxyPort] = [await freePort(), await freePort()];
  const url = `https://localhost:${proxyPort}`;
  const env = {
    PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    DUCKDB_FOLDER: "/data",
    DATABASE_URL_FILE: "/run/secrets/database_url",
    SEALING_KEYS_FILE: "/run/secrets/sealing_keys",
    PUBLIC_URL: url,
    TRUSTED_PROXIES: "127.0.0.1",
    PORT: String(apiPort),
    // A receiver on this machine is refused in production.
    NODE_ENV: "development",
    WEBHOOK_ALLOW_LOOPBACK: "1",
  };
  const output: string[] = [];
  const processes: { name: string; child: ChildProcess }[] = [];
  const inImage = (args: string[], more: Record<string, string>) =>
    run(runInImage, [root, folder, ...args], { env: { ...env, ...more } });
  const spawnKept = (name: string, program: string, args: string[], environment: NodeJS.ProcessEnv) => {
    const child = spawn(program, args, { env: environment, stdio: ["ignore", "pipe", "pipe"] });
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (text) => output.push(`${name}: ${text}`));
    processes.push({ name, child });
  };
  const stop = async (): Promise<string[]> => {
    const ends: string[] = [];
    for (const { name, child } of processes.splice(0).reverse()) {
      const since = performance.now();
      if (child.exitCode === null) {
        const ended = once(child, "exit");
        for (const pid of await childrenOf(child)) process.kill(pid, "SIGTERM");
        await ended;
      }
      ends.push(
        `${name} ${child.exitCode ?? child.signalCode} after ${Math.round(performance.now() - since)} ms`,
      );
    }
    return ends;
  };
  started.defer(async () => void (await stop()));
  const held = started.move();
  return {
    url,
    chromium,
    backups: join(folder, "backups"),
    operator: async (...args: string[]) => (await inImage(["operator", ...args], {})).stdout.trim(),
    /** Starts a process and waits until its health check succeeds. */
    async start(app: "api" | "worker", number = 1) {
      const name = `${app} ${number}`;
      const own = app === "worker" ? { WORKER_PORT: String(await freePort()) } : {};
      spawnKept(name, runInImage, [root, folder, app], { ...env, ...own });
      for (let tries = 1; ; tries++) {
        const healthy = await inImage(["health", app], own).then(
          () => true,
          () => false,
        );
        if (healthy) return;
        if (tries === healthTries)
          throw new Error(`The ${name} does not become healthy.\n${output.join("")}`);
        await sleep(500);
      }
    },
    isolation: () => [...new Set(output.join("").match(/"engineIsolation":"\w+"/g))].join(", "),
    /** The proxy of the compose file, with the name of the api there. */
    async startProxy() {
      const hosts = `s/dynamic a api 4000/dynamic a localhost ${apiPort}/`;
      const { stdout } = await run("sed", [hosts, join(repository, "deploy/Caddyfile")]);
      const options = "{\n\tadmin off\n\tskip_install_trust\n\tauto_https disable_redirects\n";
      await writeFile(join(folder, "Caddyfile"), stdout.replace("{\n", options));
      const environment = { PATH: env.PATH, HOME: folder, QUERYBELL_DOMAIN: `localhost:${proxyPort}` };
      const args = ["run", "--adapter", "caddyfile", "--config", join(folder, "Caddyfile")];
      spawnKept("proxy", caddy, args, environment);
      while (!output.join("").includes("serving initial configuration")) {
        if (processes.at(-1)?.child.exitCode !== null) throw new Error(output.join(""));
        await sleep(100);
      }
    },
    stop,
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}

/** The process in the image: `unshare` waits for it and passes no signal on. The proxy is a process itself. */
async function childrenOf({ pid = 0 }: ChildProcess): Promise<number[]> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8");
  return children === "" ? [pid] : children.trim().split(" ").map(Number);
}

const ensure = async (program: string): Promise<string> =>
  (await run(process.execPath, [join(repository, `scripts/ensure-${program}.ts`)])).stdout.trim();
