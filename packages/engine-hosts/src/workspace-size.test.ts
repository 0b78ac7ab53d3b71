import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { usedBytes } from "./memory-limit.ts";
import { parentOf } from "./proc-files.ts";
import { workspaceBytes } from "./workspace-size.ts";

const bytes = 1_000_000;
const content = Buffer.alloc(bytes, 1);

function createFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "querybell-workspace-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** A process that holds a file open, or mapped into memory. */
const startHolder = (how: "open" | "mapped", file: string) =>
  start(new URL("./testing/file-holder.ts", import.meta.url), how, file);

async function start(program: URL, ...args: string[]): Promise<number> {
  const child = spawn(process.execPath, [fileURLToPath(program), ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child.stdout, "data");
  return child.pid ?? 0;
}

const measure = (folder: string, pid = process.pid) => workspaceBytes({ folder, pid: () => pid });

test("every file counts, whatever its name, in folders too", () => {
  const folder = createFolder();
  const before = measure(folder);
  writeFileSync(join(folder, ".hidden"), content);
  mkdirSync(join(folder, "a/b"), { recursive: true });
  writeFileSync(join(folder, "a/b/other.tmp"), content);
  expect(measure(folder) - before).toBeGreaterThanOrEqual(2 * bytes);
});

test("a file with holes counts as it is copied", () => {
  const folder = createFolder();
  writeFileSync(join(folder, "file"), "");
  truncateSync(join(folder, "file"), 10 * bytes);
  expect(measure(folder)).toBeGreaterThanOrEqual(10 * bytes);
});

test("a link counts, what it leads to does not", () => {
  const [folder, other] = [createFolder(), createFolder()];
  writeFileSync(join(other, "file"), content);
  symlinkSync(other, join(folder, "link"));
  expect(measure(folder)).toBeLessThan(bytes);
});

test("many empty files and folders are too much", () => {
  const folder = createFolder();
  for (let index = 0; index < 60; index++) mkdirSync(join(folder, `folder-${index}`));
  expect(measure(folder)).toBeLessThan(bytes);
  for (let index = 0; index < 60; index++) writeFileSync(join(folder, `folder-${index}`, "file"), "");
  expect(measure(folder)).toBe(Number.POSITIVE_INFINITY);
});

test("a deleted file counts while it is open", async () => {
  const folder = createFolder();
  const file = join(folder, "file");
  writeFileSync(file, content);
  const pid = await startHolder("open", file);
  unlinkSync(file);
  expect(measure(folder, pid)).toBeGreaterThanOrEqual(bytes);
  expect(measure(folder)).toBeLessThan(bytes);
});

test("a deleted file that is mapped into memory is too much", async () => {
  const folder = createFolder();
  const file = join(folder, "file");
  writeFileSync(file, content);
  const pid = await startHolder("mapped", file);
  expect(measure(folder, pid)).toBeLessThan(2 * bytes);
  unlinkSync(file);
  expect(measure(folder, pid)).toBe(Number.POSITIVE_INFINITY);
});

test("a process whose first thread has ended is seen like any other", async () => {
  const folder = createFolder();
  const file = join(folder, "file");
  writeFileSync(file, content);
  const pid = await start(new URL("./testing/ended-first-thread.ts", import.meta.url), file);
  await expect.poll(() => parentOf(pid)).toBeUndefined();
  unlinkSync(file);
  expect(measure(folder, pid)).toBeGreaterThanOrEqual(bytes);
  expect(usedBytes(pid)).toBeGreaterThan(100e6);
});

test("a folder that is gone, and a process that has ended, store nothing", () => {
  expect(workspaceBytes({ folder: join(createFolder(), "gone"), pid: () => 0 })).toBe(0);
});
