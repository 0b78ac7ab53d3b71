// The kit's README is the source of every program here, so that it cannot drift from what was tried.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { kit } from "./kit.ts";

const readme = readFileSync(join(kit, "README.md"), "utf8");

/** The TypeScript examples of the README, in their order. */
export const examples: string[] = codeIn(readme);

export interface Recipe {
  heading: string;
  code: string;
}

/** The example under this heading; `mark` is a text that tells it from others there. */
export function findRecipe(heading: string, mark = ""): Recipe {
  const section = readme.split(/^##+ /m).find((text) => text.startsWith(heading)) ?? "";
  const code = codeIn(section).find((example) => example.includes(mark));
  if (code === undefined) throw new Error(`The kit's README has no recipe "${heading}" with "${mark}".`);
  return { heading, code };
}

/** The options of the exported receiver in the example that has this mark, and what they refer to. */
export function receiverOptionsIn(mark: string): { options: string; statements: string } {
  const receiver = /^export const receiver = createReceiver\((\{.*?\})\);$/ms;
  const example = examples.find((code) => code.includes(mark) && receiver.test(code));
  const [whole, options] = receiver.exec(example ?? "") ?? [];
  if (!example || !whole || !options) throw new Error(`No example of the README has "${mark}".`);
  const statements = example.replace(whole, "").replace(/^import \{ createReceiver \}.*\n/m, "");
  return { options, statements };
}

function codeIn(markdown: string): string[] {
  return Array.from(markdown.matchAll(/^```ts\n(.*?)^```/gms), ([, code = ""]) => code);
}
