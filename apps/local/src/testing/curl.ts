import { execFile } from "node:child_process";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { repository } from "../env.ts";

const run = promisify(execFile);

/** Runs a command with curl in it as somebody does who copied it into a terminal, and returns what it prints. */
export async function runCurl(command: string, environment: Record<string, string>): Promise<string> {
  const { stdout: curl } = await run(process.execPath, [join(repository, "scripts/ensure-curl.ts")]);
  const PATH = `${dirname(curl.trim())}:${process.env.PATH}`;
  const { stdout } = await run("sh", ["-c", command], { env: { ...environment, PATH } });
  return stdout;
}
