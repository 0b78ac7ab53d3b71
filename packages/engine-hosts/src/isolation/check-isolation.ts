import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:net";

interface Checks {
  unreadableFiles: string[];
  unreachablePid: number;
}

/**
 * Runs inside a host: tries what isolation must prevent, and returns the names of what was possible. Throws, or ends
 * the process, if the engine itself does not work.
 */
export async function checkIsolation({ unreadableFiles, unreachablePid }: Checks): Promise<string[]> {
  const { DuckdbInstance } = await import("@querybell/engines/duckdb-driver");
  const engine = await DuckdbInstance.open(":memory:");
  engine.closeSync();
  const attempts: [what: string, attempt: () => unknown][] = [
    ...unreadableFiles.map((file): [string, () => unknown] => [`reading ${file}`, () => readFile(file)]),
    ["listening on a port", listen],
    ["signalling its parent", () => process.kill(unreachablePid, 0)],
  ];
  const outcomes = attempts.map(async ([what, attempt]) => {
    try {
      await attempt();
      return [what];
    } catch {
      return [];
    }
  });
  return (await Promise.all(outcomes)).flat();
}

async function listen(): Promise<void> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  server.close();
}
