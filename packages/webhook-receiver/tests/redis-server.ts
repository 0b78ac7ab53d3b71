import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { Redis } from "ioredis";
import { createClient } from "redis";

const run = promisify(execFile);
const script = join(import.meta.dirname, "../../../scripts/ensure-redis.ts");

/** A real server, and a connection of each of the two clients that most programs use. */
export async function startRedis() {
  const { stdout: program } = await run(process.execPath, [script]);
  const folder = await mkdtemp(join(tmpdir(), "redis-"));
  const socket = join(folder, "redis.sock");
  const settings = ["--port", "0", "--unixsocket", socket, "--dir", folder, "--save", ""];
  const server = spawn(program.trim(), settings, { stdio: ["ignore", "pipe", "inherit"] });
  server.stdout.setEncoding("utf8");
  let output = "";
  while (!output.includes("ready to accept connections")) output += (await once(server.stdout, "data"))[0];
  server.stdout.resume();
  const ioredis = new Redis(socket);
  const nodeRedis = await createClient({ socket: { path: socket, tls: false } }).connect();
  return {
    ioredis,
    nodeRedis,
    /** Redis has its own clock: for every key, time passes by moving its end nearer. */
    async pass(seconds: number) {
      for (const key of await ioredis.keys("*")) {
        const left = (await ioredis.pttl(key)) - seconds * 1000;
        await (left > 0 ? ioredis.pexpire(key, left) : ioredis.del(key));
      }
    },
    async [Symbol.asyncDispose]() {
      ioredis.disconnect();
      nodeRedis.destroy();
      server.kill();
      await once(server, "exit");
      await rm(folder, { recursive: true });
    },
  };
}
