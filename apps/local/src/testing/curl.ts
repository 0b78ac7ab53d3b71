import { execFile } from "node:child_process";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { repository } from "../env.ts";

const run = promisify(execFile);

/** Runs a shell command that calls curl and returns its output. */
export async function runCurl(command: string, environment: Record<string, string>): Promise<string> {
  const { stdout: curl } = await run(process.execPath, [join(repository, "scripts/ensure-curl.ts")]);
  const PATH = `${dirname(curl.trim())}:${process.env.PATH}`;
  const { stdout } = await run("sh", ["-c", command], { env: { ...environment, PATH } });
  return stdout;
}
