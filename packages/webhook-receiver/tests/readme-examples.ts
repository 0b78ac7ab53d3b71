import { readFile } from "node:fs/promises";
import { join } from "node:path";

/** The TypeScript examples of the README, in their order. */
export async function readmeExamples(): Promise<string[]> {
  const readme = await readFile(join(import.meta.dirname, "../README.md"), "utf8");
  return Array.from(readme.matchAll(/^```ts\n(.*?)^```/gms), ([, code = ""]) => code);
}
