import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { repository } from "../env.ts";

/** The api as a separate process, which a test can stop or kill, and start again on the same port. */
export function createApiProcess(settings: Record<string, string>) {
  let child: ReturnType<typeof spawn> | undefined;
  const start = async () => {
    child = spawn(process.execPath, [join(repository, "apps/api/src/main.ts")], {
      env: {
        PATH: process.env.PATH,
        NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
        // Trying the methods at each start takes longer than the rest of it.
        ENGINE_ISOLATION: "none",
        ...settings,
      },
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    const ended = once(child, "exit").then(() => Promise.reject(new Error("The api did not start.")));
    await Promise.race([once(child, "message"), ended]);
    ended.catch(() => undefined);
  };
  const end = async (signal: "SIGTERM" | "SIGKILL") => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, "exit");
    child.kill(signal);
    await exited;
  };
  return { start, stop: () => end("SIGTERM"), kill: () => end("SIGKILL") };
}
