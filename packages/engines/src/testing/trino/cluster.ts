import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream, mkdtempSync, readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import { freePort } from "@querybell/embedded-postgres";
import { z } from "zod";
import { type Secrets, writeClusterFiles } from "./cluster-files.ts";
import { queryTrino } from "./query-trino.ts";

const run = promisify(execFile);
const script = join(import.meta.dirname, "../../../../../scripts/ensure-trino.ts");
const Installation = z.union([
  z.object({ missing: z.string() }),
  z.object({ java: z.string(), server: z.string() }),
]);

/** Why Trino cannot be started here, if so. Does not download it. */
export async function whyMissing(): Promise<string | undefined> {
  const found = await ensureTrino("--check");
  return "missing" in found ? found.missing : undefined;
}

async function ensureTrino(...options: string[]) {
  const { stdout } = await run(process.execPath, [script, ...options]);
  return Installation.parse(JSON.parse(stdout));
}

const startMs = 300_000;
const pollMs = 250;

/** A coordinator, which executes tasks too, and a worker if a test wants one. */
export class TrinoCluster {
  readonly url: string;
  readonly httpsUrl: string;
  readonly secrets: Secrets;
  readonly #installation: { java: string; server: string };
  readonly #folder: string;
  readonly #nodes = new Map<string, ChildProcess>();

  private constructor(
    installation: { java: string; server: string },
    folder: string,
    ports: { http: number; https: number },
  ) {
    this.#installation = installation;
    this.#folder = folder;
    this.url = `http://127.0.0.1:${ports.http}`;
    this.httpsUrl = `https://localhost:${ports.https}`;
    this.secrets = writeClusterFiles(folder, ports);
  }

  static async start(): Promise<TrinoCluster> {
    const installation = await ensureTrino();
    if ("missing" in installation) throw new Error(`Trino cannot be started: ${installation.missing}.`);
    const folder = mkdtempSync(join(tmpdir(), "querybell-trino-"));
    const cluster = new TrinoCluster(installation, folder, {
      http: await freePort(),
      https: await freePort(),
    });
    try {
      cluster.#spawn("coordinator");
      await cluster.#waitForNodes(1);
      return cluster;
    } catch (error) {
      await cluster.stop();
      throw error;
    }
  }

  async killWorker(): Promise<void> {
    await this.#kill("worker");
  }

  async startWorker(): Promise<void> {
    this.#spawn("worker");
    await this.#waitForNodes(2);
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#nodes.keys()].map((name) => this.#kill(name)));
    await rm(this.#folder, { recursive: true, force: true });
  }

  #spawn(name: string): void {
    const { java, server } = this.#installation;
    const here = join(this.#folder, name);
    const options = {
      config: join(here, "config.properties"),
      "node.id": name,
      "node.environment": "test",
      "node.data-dir": join(here, "data"),
      "plugin.dir": join(server, "plugin"),
      "catalog.config-dir": join(here, "catalogs"),
    };
    const child = spawn(
      java,
      [
        "-Xmx1500M",
        // The cluster runs for minutes, so the time of optimizing compilation would not pay off.
        "-XX:TieredStopAtLevel=1",
        "--add-modules=jdk.incubator.vector",
        ...Object.entries(options).map(([option, value]) => `-D${option}=${value}`),
        "-cp",
        join(server, "lib/*"),
        "io.trino.server.TrinoServer",
      ],
      { cwd: here, stdio: ["ignore", "pipe", "pipe"] },
    );
    const log = createWriteStream(join(here, "log"));
    child.stdout?.pipe(log, { end: false });
    child.stderr?.pipe(log, { end: false });
    this.#nodes.set(name, child);
  }

  async #kill(name: string): Promise<void> {
    const child = this.#nodes.get(name);
    this.#nodes.delete(name);
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, "exit");
    child.kill("SIGKILL");
    await exited;
  }

  /** After its start a coordinator has no active nodes for a moment. */
  async #waitForNodes(count: number): Promise<void> {
    for (const until = Date.now() + startMs; Date.now() < until; await wait(pollMs)) {
      for (const [name, child] of this.#nodes) {
        if (child.exitCode !== null) throw new Error(`Trino's ${name} ended:\n${this.#log(name)}`);
      }
      const nodes = await queryTrino(
        this.url,
        "SELECT node_id FROM system.runtime.nodes WHERE state = 'active'",
      );
      if (nodes?.length === count && (await queryTrino(this.url, "SELECT count(*) FROM tpch.tiny.nation")))
        return;
    }
    throw new Error(`Trino did not start within ${startMs / 1000} seconds:\n${this.#log("coordinator")}`);
  }

  #log(name: string): string {
    return readFileSync(join(this.#folder, name, "log"), "utf8").slice(-4000);
  }
}
