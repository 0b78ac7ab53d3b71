import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Plugin } from "vite";

export interface ReceiverSnippet {
  framework: string;
  code: string;
}

/** The examples of the receiver kit's README, one for each framework, which its own tests compile and run. */
export function readReceiverSnippets(repository: string): ReceiverSnippet[] {
  const readme = readFileSync(join(repository, "packages/webhook-receiver/README.md"), "utf8");
  const start = readme.split(/^## /m).find((section) => section.startsWith("Start\n")) ?? "";
  return start
    .split(/^### /m)
    .slice(1)
    .flatMap((section) => {
      const [heading = ""] = section.split("\n", 1);
      const [, code] = /^```ts\n(.*?)^```/ms.exec(section) ?? [];
      // "Next, and everything that takes a Fetch `Request`" is "Next".
      return code === undefined
        ? []
        : [{ framework: heading.split(",")[0] ?? heading, code: code.trimEnd() }];
    });
}

const name = "virtual:receiver-snippets";

/** Adds those examples to the bundle as a module, so that the pages show the code of the kit's README. */
export const receiverSnippets = (repository: string): Plugin => ({
  name: "receiver-snippets",
  resolveId: (id) => (id === name ? `\0${name}` : undefined),
  load: (id) =>
    id === `\0${name}`
      ? `export const receiverSnippets = ${JSON.stringify(readReceiverSnippets(repository))};`
      : undefined,
});
