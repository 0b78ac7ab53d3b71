import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("../../main.ts", import.meta.url));
const reporter = new URL("report-blocks.ts", import.meta.url).href;

/** The api as a separate process, as it runs in production. */
export async function startApiProcess(settings: Record<string, string>) {
  const errors: string[] = [];
  const listening = Promise.withResolvers<string>();
  const child = spawn(process.execPath, ["--import", reporter, program], {
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      NODE_ENV: "test",
      HOST: "127.0.0.1",
      PORT: "0",
      ...settings,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  createInterface({ input: child.stdout }).on("line", (line) => {
    const [, url] = /Server listening at (http:[^"]+)"/.exec(line) ?? [];
    if (url) listening.resolve(url);
    // Errors and worse.
    if (/"level":[56]0/.test(line)) errors.push(line);
  });
  let longestBlockMs = 0;
  createInterface({ input: child.stderr }).on("line", (line) => {
    const [, blockedMs] = /^blocked for (\d+) ms$/.exec(line) ?? [];
    if (blockedMs) longestBlockMs = Math.max(longestBlockMs, Number(blockedMs));
    else errors.push(line);
  });
  const exited = once(child, "exit");
  exited.then(([code, signal]) =>
    listening.reject(new Error(`The api ended (${code ?? signal}): ${errors.join("\n")}`)),
  );
  const url = await listening.promise;
  let highestMemoryMb = 0;

  return {
    url,
    /** Takes the error lines of its log since the last call. */
    takeErrors: () => errors.splice(0),
    /** How long its event loop was blocked at most since the last call, in milliseconds of CPU time. */
    async measure(): Promise<number> {
      const metrics = await (await fetch(`${url}/metrics`)).text();
      const [, bytes = "0"] = /^process_resident_memory_bytes (\S+)$/m.exec(metrics) ?? [];
      highestMemoryMb = Math.max(highestMemoryMb, Number(bytes) / 2 ** 20);
      const measured = longestBlockMs;
      longestBlockMs = 0;
      return measured;
    },
    highestMemoryMb: () => highestMemoryMb,
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      await exited;
    },
  };
}

export type ApiProcess = Awaited<ReturnType<typeof startApiProcess>>;
