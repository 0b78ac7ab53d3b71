import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { freePort } from "@querybell/embedded-postgres";
import { z } from "zod";
import { repository } from "../env.ts";
import { readDeployFile } from "./expressions.ts";

const run = promisify(execFile);
export const alertRules = join(repository, "deploy/prometheus/alerts.yml");

/** Finds Prometheus and its promtool, or downloads them. */
export async function ensurePrometheus() {
  const { stdout } = await run(process.execPath, [join(repository, "scripts/ensure-prometheus.ts")]);
  const program = stdout.trim();
  const beside = join(dirname(program), "promtool");
  const promtool = existsSync(beside) ? beside : join(dirname(program), "root/usr/bin/promtool");
  return {
    program,
    /** Returns what it says. Rejects with it if it finds a mistake. */
    promtool: async (...args: string[]): Promise<string> => (await run(promtool, args)).stdout.trim(),
  };
}

interface Targets {
  api: URL;
  worker: URL;
  token: string;
}

const Answer = z.object({
  data: z.object({ result: z.array(z.object({ value: z.tuple([z.number(), z.string()]) })) }),
});
const Rules = z.object({
  data: z.object({
    groups: z.array(
      z.object({
        rules: z.array(
          z.object({
            name: z.string(),
            state: z.string(),
            health: z.string(),
            lastError: z.string().optional(),
          }),
        ),
      }),
    ),
  }),
});

/** How the configuration finds the containers of a service. */
const byName = (service: string, port: number) =>
  `dns_sd_configs: [{ names: [${service}], type: A, port: ${port} }]`;

/** Starts a Prometheus with the configuration of deploy/prometheus that scrapes these processes every second. */
export async function startPrometheus(program: string, { api, worker, token }: Targets) {
  await using started = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), "querybell-prometheus-"));
  started.defer(() => rm(folder, { recursive: true, force: true }));
  const [tokenFile, configuration] = [join(folder, "token"), join(folder, "prometheus.yml")];
  await writeFile(tokenFile, token, { mode: 0o600 });
  const settings = readDeployFile("prometheus/prometheus.yml")
    .replaceAll("/etc/prometheus/querybell-metrics-token", tokenFile)
    .replace("- alerts.yml", `- ${alertRules}`)
    .replace(byName("api", 4000), `static_configs: [{ targets: ["${api.host}"] }]`)
    .replace(byName("worker", 4001), `static_configs: [{ targets: ["${worker.host}"] }]`);
  await writeFile(configuration, `global: { scrape_interval: 1s, evaluation_interval: 1s }\n${settings}`);
  const address = `127.0.0.1:${await freePort()}`;
  const args = [
    `--config.file=${configuration}`,
    `--storage.tsdb.path=${join(folder, "data")}`,
    `--web.listen-address=${address}`,
    "--log.level=error",
  ];
  const server = spawn(program, args, { stdio: ["ignore", "ignore", "inherit"] });
  started.defer(async () => {
    if (server.exitCode !== null) return;
    server.kill();
    await once(server, "exit");
  });
  const ask = async (path: string): Promise<unknown> => {
    const answer = await fetch(`http://${address}${path}`);
    if (!answer.ok) throw new Error(await answer.text());
    return answer.json();
  };
  const isReady = () =>
    fetch(`http://${address}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
  while (!(await isReady())) {
    if (server.exitCode !== null) throw new Error("Prometheus has ended; its output says why.");
    await sleep(100);
  }
  const held = started.move();
  return {
    /** The current values of the series of an expression. */
    async query(expression: string): Promise<number[]> {
      const answer = Answer.parse(await ask(`/api/v1/query?query=${encodeURIComponent(expression)}`));
      return answer.data.result.map(({ value: [, value] }) => Number(value));
    },
    rules: async () => Rules.parse(await ask("/api/v1/rules")).data.groups.flatMap(({ rules }) => rules),
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}
