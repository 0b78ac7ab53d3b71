import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";

/** A page as the web app's build describes it in `pages.json`. */
const Page = z.object({
  /** As the web app's router writes it, like `/queries/$queryId`. */
  address: z.string(),
  /** Scripts that run before those of every page. */
  earlyFiles: z.string().array(),
  /** Its scripts and styles for the first paint, besides those of every page. */
  files: z.string().array(),
  /** Those that it loads after the first paint. */
  laterFiles: z.string().array(),
});

export type Page = z.infer<typeof Page>;

export interface FoundPage extends Page {
  /** The parts of the path that the address names: `{ queryId: "…" }`. */
  params: Readonly<Record<string, string>>;
}

export const readPages = (folder: string): Page[] =>
  Page.array().parse(JSON.parse(readFileSync(join(folder, "pages.json"), "utf8")));

/** The page at a path; undefined if there is none. `/queries/new` is that page and no query, as for the router. */
export function findPage(pages: readonly Page[], path: string): FoundPage | undefined {
  let found: FoundPage | undefined;
  for (const page of pages) {
    const params = paramsOf(page.address, path);
    if (params && (!found || countOf(params) < countOf(found.params))) found = { ...page, params };
  }
  return found;
}

const countOf = (params: FoundPage["params"]): number => Object.keys(params).length;

function paramsOf(address: string, path: string): Record<string, string> | undefined {
  const wanted = partsOf(address);
  const given = partsOf(path);
  if (wanted.length !== given.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, part] of wanted.entries()) {
    const value = given[index] ?? "";
    if (part.startsWith("$") && value !== "") params[part.slice(1)] = value;
    else if (part !== value) return undefined;
  }
  return params;
}

const partsOf = (path: string): string[] => path.replace(/\/$/, "").split("/");
