import { existsSync, globSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { expect, test } from "vitest";

const dist = join(import.meta.dirname, "../dist");

test("every script and style of the build has compressed copies that hold the same", () => {
  expect(existsSync(dist), "build the web app first: pnpm --filter @querybell/web build").toBe(true);
  const files = globSync("assets/*.{js,css}", { cwd: dist })
    .map((file) => join(dist, file))
    .filter((file) => statSync(file).size >= 1024);
  expect(files.length).toBeGreaterThan(10);
  for (const file of files) {
    const content = readFileSync(file);
    expect(brotliDecompressSync(readFileSync(`${file}.br`)).equals(content), file).toBe(true);
    expect(gunzipSync(readFileSync(`${file}.gz`)).equals(content), file).toBe(true);
  }
});
