import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { z } from "zod";

const dist = join(import.meta.dirname, "../dist");
const Manifest = z.record(
  z.string(),
  z.object({ file: z.string(), isEntry: z.boolean().optional(), imports: z.string().array().default([]) }),
);
const mostBytes = 250 * 1024;

/** Every script that must be there before the first page can be shown. */
function shellFiles(): string[] {
  const manifest = Manifest.parse(JSON.parse(readFileSync(join(dist, ".vite/manifest.json"), "utf8")));
  const found = new Set<string>();
  const add = (key: string) => {
    const chunk = manifest[key];
    if (!chunk || found.has(chunk.file)) return;
    found.add(chunk.file);
    chunk.imports.forEach(add);
  };
  for (const [key, { isEntry }] of Object.entries(manifest)) if (isEntry) add(key);
  return [...found].filter((file) => file.endsWith(".js"));
}

test("the shell is at most 250 KB of gzipped JavaScript", () => {
  expect(existsSync(dist), "build the web app first: pnpm --filter @querybell/web build").toBe(true);
  const files = shellFiles();
  expect(files).not.toEqual([]);
  const bytes = files.map((file) => gzipSync(readFileSync(join(dist, file)), { level: 9 }).length);
  const total = bytes.reduce((sum, one) => sum + one, 0);
  console.log(`shell: ${(total / 1024).toFixed(1)} KB of gzipped JavaScript in ${bytes.length} files`);
  expect(total).toBeLessThanOrEqual(mostBytes);
});

const Pages = z.array(z.object({ address: z.string(), files: z.string().array() }));

test("no page waits for the editor or the charts before its first paint", () => {
  const pages = Pages.parse(JSON.parse(readFileSync(join(dist, "pages.json"), "utf8")));
  const large = pages.flatMap(({ address, files }) =>
    files.filter((file) => /\/(?:editor|charts)-[^/]*\.js$/.test(file)).map((file) => `${address}: ${file}`),
  );
  expect(large).toEqual([]);
});
