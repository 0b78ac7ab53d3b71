import { tmpdir } from "node:os";
import { SettingsError } from "@querybell/domain";
import { findIsolation } from "@querybell/engine-hosts";
import { createLogger } from "@querybell/process";
import { describe, expect, onTestFinished, test } from "vitest";
import { chooseIsolation, logIsolation } from "./engine-isolation.ts";

const folder = { DUCKDB_FOLDER: tmpdir() };

/** A machine without Linux, where no isolation works. */
function pretendNotLinux(): void {
  const { platform } = process;
  Object.defineProperty(process, "platform", { value: "darwin" });
  onTestFinished(() => void Object.defineProperty(process, "platform", { value: platform }));
}

describe("where no isolation works", () => {
  test("production refuses to start, and says what to do", async () => {
    pretendNotLinux();
    const choosing = chooseIsolation({ ...folder, ENGINE_ISOLATION: "auto", NODE_ENV: "production" });
    await expect(choosing).rejects.toThrow(SettingsError);
    await expect(choosing).rejects.toThrow(/Install bubblewrap.*or set ENGINE_ISOLATION=none to accept/);
  });

  test("production starts if the operator accepts it, and development does anyway", async () => {
    pretendNotLinux();
    for (const settings of [
      { ENGINE_ISOLATION: "none", NODE_ENV: "production" },
      { ENGINE_ISOLATION: "auto", NODE_ENV: "development" },
    ] as const) {
      expect(await chooseIsolation({ ...folder, ...settings })).toMatchObject({ name: "none" });
    }
  });

  test("an isolation that is configured by name is refused with the reason, in development too", async () => {
    pretendNotLinux();
    const choosing = chooseIsolation({
      ...folder,
      ENGINE_ISOLATION: "landlock",
      NODE_ENV: "development",
    });
    await expect(choosing).rejects.toThrow(SettingsError);
    await expect(choosing).rejects.toThrow(/ENGINE_ISOLATION=landlock does not work here\. It needs Linux/);
  });
});

test("the log names the isolation, and `none` is a warning", async () => {
  const lines: string[] = [];
  const logger = createLogger("api", "info", { write: (line) => lines.push(line) });
  logIsolation(logger, {
    ...(await findIsolation({ setting: "none", dataFolder: tmpdir() })),
    name: "landlock",
    title: "Landlock",
  });
  logIsolation(logger, await findIsolation({ setting: "none", dataFolder: tmpdir() }));
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { app: "api", level: 30, engineIsolation: "landlock", msg: "Isolation of engine hosts: Landlock." },
    { app: "api", level: 40, engineIsolation: "none" },
  ]);
});
