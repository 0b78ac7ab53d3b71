import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { freePort } from "@querybell/embedded-postgres";

const run = promisify(execFile);

/** What docs/operating.md advises: ask `/readyz`, leave out an api that does not answer, and wait a little for one that does. */
const configuration = (port: number, apis: readonly number[]): string => `{
	admin off
	auto_https off
}
http://127.0.0.1:${port} {
	reverse_proxy ${apis.map((api) => `127.0.0.1:${api}`).join(" ")} {
		health_uri /readyz
		health_interval 1s
		health_timeout 2s
		fail_duration 5s
		lb_try_duration 10s
		lb_try_interval 250ms
	}
}
`;

/** Caddy in front of the apis with these ports. */
export async function startProxy(apis: readonly number[]) {
  const script = fileURLToPath(new URL("../../../scripts/ensure-caddy.ts", import.meta.url));
  const { stdout: program } = await run(process.execPath, [script]);
  const folder = await mkdtemp(join(await realpath(tmpdir()), "querybell-proxy-"));
  const port = await freePort();
  const file = join(folder, "Caddyfile");
  await writeFile(file, configuration(port, apis));
  const child = spawn(program.trim(), ["run", "--adapter", "caddyfile", "--config", file], {
    env: { HOME: folder },
    stdio: ["ignore", "ignore", "pipe"],
    detached: true,
  });
  const ended = once(child, "exit");
  let log = "";
  child.stderr.on("data", (chunk) => {
    log = (log + chunk).slice(-100_000);
  });
  while (!log.includes("serving initial configuration")) {
    if (child.exitCode !== null) throw new Error(`Caddy did not start.\n${log}`);
    await Promise.race([once(child.stderr, "data"), ended]);
  }
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      child.kill("SIGKILL");
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
