import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { z } from "zod";

export const webFolder = fileURLToPath(new URL("../../../apps/web/dist", import.meta.url));

const Manifest = z.record(
  z.string(),
  z.object({ file: z.string(), isEntry: z.boolean().optional(), imports: z.array(z.string()).default([]) }),
);

/** The compressed size of the scripts of every page: the entry and its imports. */
export async function shellBytes(): Promise<number> {
  const manifest = Manifest.parse(JSON.parse(await readFile(join(webFolder, ".vite/manifest.json"), "utf8")));
  const wanted = new Set<string>();
  const add = (key: string) => {
    if (wanted.has(key)) return;
    wanted.add(key);
    for (const other of manifest[key]?.imports ?? []) add(other);
  };
  for (const [key, { isEntry }] of Object.entries(manifest)) if (isEntry && key.endsWith(".html")) add(key);
  const files = [...wanted]
    .flatMap((key) => manifest[key]?.file ?? [])
    .filter((file) => file.endsWith(".js"));
  const sizes = await Promise.all(
    files.map(async (file) => gzipSync(await readFile(join(webFolder, file))).length),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}
