// Every program here is an example of the kit's README, so that the README cannot differ from what was tested.
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

/** The example under this heading that contains this text. */
export function findRecipe(heading: string, containing = ""): Recipe {
  const section = readme.split(/^##+ /m).find((text) => text.startsWith(heading)) ?? "";
  const code = codeIn(section).find((example) => example.includes(containing));
  if (code === undefined)
    throw new Error(`The kit's README has no recipe "${heading}" with "${containing}".`);
  return { heading, code };
}

/** The options of the exported receiver in the example that contains this text, and the statements they refer to. */
export function receiverOptionsIn(containing: string): { options: string; statements: string } {
  const receiver = /^export const receiver = createReceiver\((\{.*?\})\);$/ms;
  const example = examples.find((code) => code.includes(containing) && receiver.test(code));
  const [whole, options] = receiver.exec(example ?? "") ?? [];
  if (!example || !whole || !options) throw new Error(`No example of the README has "${containing}".`);
  const statements = example.replace(whole, "").replace(/^import \{ createReceiver \}.*\n/m, "");
  return { options, statements };
}

function codeIn(markdown: string): string[] {
  return Array.from(markdown.matchAll(/^```ts\n(.*?)^```/gms), ([, code = ""]) => code);
}
