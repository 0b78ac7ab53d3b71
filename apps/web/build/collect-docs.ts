import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** A document of the repository and the address of its page. */
export interface Doc {
  /** From the repository's root: `docs/operating.md`. */
  file: string;
  /** `/docs/operating`. */
  address: string;
  markdown: string;
}

/** All documents: `docs/`, and the README and CONTRIBUTING at the root. */
export function collectDocs(repository: string): Doc[] {
  const files = ["README.md", "CONTRIBUTING.md", "docs/**/*.md"].flatMap((pattern) =>
    globSync(pattern, { cwd: repository }).sort(),
  );
  return files.map((file) => ({
    file,
    address: addressOf(file),
    markdown: readFileSync(join(repository, file), "utf8"),
  }));
}

/** The pictures that documents show. */
export const collectPictures = (repository: string): string[] =>
  globSync("docs/images/*.{webp,svg}", { cwd: repository }).sort();

const addressOf = (file: string): string =>
  `/docs/${file
    .replace(/^docs\//, "")
    .replace(/\.md$/, "")
    .toLowerCase()}`;
