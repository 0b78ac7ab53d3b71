import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { FileWatch } from "./file-watch.ts";

function createSources() {
  const folder = mkdtempSync(join(tmpdir(), "querybell-watch-"));
  const file = (name: string) => join(folder, name);
  const write = (name: string, text = "") => writeFileSync(file(name), text);
  const watchWith = (options: ConstructorParameters<typeof FileWatch>[0]) => {
    const watch = new FileWatch(options);
    onTestFinished(() => watch[Symbol.dispose]());
    return watch;
  };
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const name of ["app", "hosts", "hosts/duckdb", "hosts/testing"]) mkdirSync(file(name));
  return { file, write, watchWith };
}

test("a loaded file counts, also when an editor replaces it, and its neighbours do not", async () => {
  const { file, write, watchWith } = createSources();
  const watch = watchWith({});
  const changed = watch.nextChange();
  watch.addLoaded(file("app/loaded.ts"));
  watch.setRunning();
  write("app/other.ts");
  write("app/loaded.ts.swap");
  renameSync(file("app/loaded.ts.swap"), file("app/loaded.ts"));
  expect(await changed).toBe(file("app/loaded.ts"));
});

test("of the folders of engine hosts every source counts, loaded or not, and no test", async () => {
  const { file, write, watchWith } = createSources();
  const changed = watchWith({ sourceFolders: [file("hosts")] }).nextChange();
  write("hosts/duckdb/connect.test.ts");
  write("hosts/testing/server.ts");
  write("hosts/duckdb/connect.ts");
  expect(await changed).toBe(file("hosts/duckdb/connect.ts"));
});

test("what was loaded before counts until the next process runs", async () => {
  const { file, write, watchWith } = createSources();
  const watch = watchWith({});
  void watch.nextChange();
  for (const name of ["app/kept.ts", "app/dropped.ts"]) watch.addLoaded(file(name));
  const whileStarting = watch.nextChange();
  write("app/dropped.ts");
  expect(await whileStarting).toBe(file("app/dropped.ts"));

  const whileRunning = watch.nextChange();
  watch.addLoaded(file("app/kept.ts"));
  watch.setRunning();
  write("app/dropped.ts", "again");
  write("app/kept.ts");
  expect(await whileRunning).toBe(file("app/kept.ts"));
});

test("after the process has ended, a new file beside the loaded ones counts: it may be the one that was missing", async () => {
  const { file, write, watchWith } = createSources();
  const watch = watchWith({});
  const changed = watch.nextChange();
  watch.addLoaded(file("app/main.ts"));
  watch.setDown();
  write("app/missing.ts");
  expect(await changed).toBe(file("app/missing.ts"));
});
