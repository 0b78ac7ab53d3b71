import { access, rename, rm } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { Readable } from "node:stream";
import { exportAuditAsOperator } from "@querybell/core/operator";
import { flushFolder, writeFileFrom } from "./backup/archive-files.ts";
import type { Command } from "./command.ts";
import { CommandError } from "./command-error.ts";
import { countOf } from "./count-of.ts";
import { DateOption, parseOption } from "./options.ts";

export const auditCommands: Command[] = [
  {
    words: ["audit", "export"],
    summary:
      "Writes the audit logs into a new file, as JSON lines: of all organizations or one, whole or since a time.",
    options: { to: "<file>" },
    optional: { organization: "<slug>", since: "<date>" },
    run: async ({ deps }, options) => {
      const { to = "", organization: slug } = options;
      const since = parseOption("since", DateOption.optional(), options);
      const path = resolve(to);
      let count = 0;
      async function* toLines() {
        for await (const { slug: organization, entries } of exportAuditAsOperator(deps, { slug, since })) {
          count += entries.length;
          yield entries.map((entry) => `${JSON.stringify({ organization, ...entry })}\n`).join("");
        }
      }
      await writeWhole(path, Readable.from(toLines()));
      return `Wrote ${countOf(count, "entry", "entries")} into ${path}.`;
    },
  },
];

/** Writes a new file, which has its name only once it is complete. */
async function writeWhole(path: string, content: Readable): Promise<void> {
  const exists = await access(path).then(
    () => true,
    () => false,
  );
  if (exists) throw new CommandError(`${path} exists already. Name a new file after --to.`);
  const partial = `${path}.partial`;
  try {
    await writeFileFrom(partial, content);
  } catch (error) {
    if (isOpenFailure(error)) {
      throw new CommandError(
        `${partial} cannot be created. The folder may be missing, the file may be there already, or this user may not write there.`,
        { cause: error },
      );
    }
    await rm(partial, { force: true });
    throw error;
  }
  await rename(partial, path);
  await flushFolder(dirname(path));
}

const isOpenFailure = (error: unknown): boolean =>
  error instanceof Error && "syscall" in error && error.syscall === "open";
