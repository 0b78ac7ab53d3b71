import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";

const kit = join(import.meta.dirname, "..");

test("the published manifest names no package of the workspace, and packing leaves the manifest as it was", () => {
  // A copy, because other tests read the kit's own manifest meanwhile.
  const folder = mkdtempSync(join(tmpdir(), "querybell-kit-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const part of ["package.json", "scripts"])
    cpSync(join(kit, part), join(folder, part), { recursive: true });
  const read = () => readFileSync(join(folder, "package.json"), "utf8");
  const whole = read();
  const { prepack, postpack } = JSON.parse(whole).scripts;
  const run = (script: string) => execFileSync("sh", ["-c", script], { cwd: folder });
  const [, writeManifest = ""] = prepack.split(" && ");

  // Twice, as after a packing that was stopped half-way.
  for (const _ of [1, 2]) run(writeManifest);
  const published = JSON.parse(read());
  expect(JSON.stringify(published)).not.toMatch(/workspace:|catalog:/);
  expect(published).not.toHaveProperty("devDependencies");
  expect(published).not.toHaveProperty("dependencies");
  expect(published).toMatchObject({ name: "@querybell/webhook-receiver", exports: { "./redis": {} } });
  run(postpack);
  expect(read()).toBe(whole);
});
