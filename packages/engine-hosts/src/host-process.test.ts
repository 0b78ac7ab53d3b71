import { execFileSync } from "node:child_process";
import { createRequire } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";
import { expect, test } from "vitest";

const script = fileURLToPath(new URL("./testing/loaded-modules.ts", import.meta.url));
const engines = pathToFileURL(createRequire(import.meta.url).resolve("@querybell/engines"));
const loadedFor = (path: string, from: string | URL = import.meta.url): string[] =>
  JSON.parse(execFileSync(process.execPath, [script, new URL(path, from).href]).toString());

// Loading modules is most of what starting a host takes.
test("a host loads no driver before it has a task, and of the domain only what it uses", () => {
  const loaded = [...new Set(["./messages.ts", "./execute-task.ts"].flatMap((path) => loadedFor(path)))];
  expect(loaded.filter((url) => /node_modules\/(@duckdb|pg|@resvg)\/|packages\/charts\//.test(url))).toEqual(
    [],
  );
  expect(loaded.filter((url) => url.includes("/packages/domain/src/")).length).toBeLessThan(25);
  // Of summaries only the schemas of messages: most hosts compute nothing.
  expect(loaded.filter((url) => url.includes("/packages/summaries/src/")).length).toBeLessThan(10);
  expect(loaded.length).toBeGreaterThan(20);
});

test("a host on Postgres never loads DuckDB", () => {
  const loaded = loadedFor("./postgres/connect-postgres.ts", engines);
  expect(loaded.filter((url) => url.includes("node_modules/@duckdb/"))).toEqual([]);
  expect(loaded.filter((url) => url.includes("node_modules/pg/"))).not.toEqual([]);
});
