import { parseArgs } from "node:util";
import type { Deps } from "@querybell/core";
import { AppError } from "@querybell/domain";
import { checkReadiness, closeDeps } from "@querybell/runtime";
import { ZodError } from "zod";
import { commands, usage } from "./commands.ts";

/** An invalid or failed command. The message is for the operator. */
export class CommandError extends Error {
  override readonly name = "CommandError";
}

/** Executes the command of these arguments and returns the text to print. */
export async function runCommand(args: string[], openDeps: () => Deps): Promise<string> {
  const { words, options } = parseArguments(args);
  const command = commands.find((candidate) => candidate.words.join(" ") === words.join(" "));
  if (!command) throw new CommandError(usage());
  const missing = command.options.filter((name) => !options[name]);
  if (missing.length > 0) throw new CommandError(`Add ${missing.map((name) => `--${name}`).join(" and ")}.`);

  const deps = openDeps();
  try {
    const readiness = await checkReadiness(deps);
    if (!readiness.ready) throw new CommandError(readiness.reason);
    return await command.run(deps, options);
  } catch (error) {
    if (error instanceof AppError) throw new CommandError(error.message);
    if (error instanceof ZodError)
      throw new CommandError(error.issues.map(({ message }) => message).join(" "));
    throw error;
  } finally {
    await closeDeps(deps);
  }
}

function parseArguments(args: string[]) {
  const names = new Set(commands.flatMap(({ options, optional = [] }) => [...options, ...optional]));
  const known = Object.fromEntries([...names].map((name) => [name, { type: "string" as const }]));
  try {
    const { positionals, values } = parseArgs({ args, options: known, allowPositionals: true });
    return { words: positionals, options: values as Record<string, string> };
  } catch (error) {
    throw new CommandError(`${error instanceof Error ? error.message : error}\n${usage()}`);
  }
}
