import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:net";

interface Checks {
  readableFiles: string[];
  unreadableFiles: string[];
  unreachablePid: number;
}

/**
 * Runs inside a host: tries what isolation must prevent, and what it must allow. Returns the names of what was possible
 * and the files that could not be read. Throws, or ends the process, if the engine itself does not work.
 */
export async function checkIsolation({ readableFiles, unreadableFiles, unreachablePid }: Checks) {
  const { DuckdbInstance } = await import("@querybell/engines/duckdb-driver");
  const engine = await DuckdbInstance.open(":memory:");
  engine.closeSync();
  const attempts: [what: string, attempt: () => unknown][] = [
    ...unreadableFiles.map((file): [string, () => unknown] => [`reading ${file}`, () => readFile(file)]),
    ["listening on a port", listen],
    ["signalling its parent", () => process.kill(unreachablePid, 0)],
  ];
  const outcomes = await Promise.all(
    attempts.map(async ([what, attempt]) => ((await succeeds(attempt)) ? [what] : [])),
  );
  const unreadable: string[] = [];
  for (const file of readableFiles) if (!(await succeeds(() => readFile(file)))) unreadable.push(file);
  return { possible: outcomes.flat(), unreadable };
}

async function succeeds(attempt: () => unknown): Promise<boolean> {
  try {
    await attempt();
    return true;
  } catch {
    return false;
  }
}

async function listen(): Promise<void> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  server.close();
}
