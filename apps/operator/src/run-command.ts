import { parseArgs } from "node:util";
import { closeDeps } from "@querybell/core/open-deps";
import { checkSchema } from "@querybell/runtime";
import type { CommandContext } from "./command.ts";
import { CommandError, toCommandError } from "./command-error.ts";
import { commands, describeCommand, usage } from "./commands.ts";

/** Executes the command of these arguments and returns the text to print. */
export async function runCommand(args: string[], open: () => CommandContext): Promise<string> {
  if (args.includes("--help")) return usage();
  const { words, options } = parseArguments(args);
  const command = commands.find((candidate) => candidate.words.join(" ") === words.join(" "));
  if (!command) {
    const unknown = words.length > 0 ? [`There is no command ${words.join(" ")}.`] : [];
    throw new CommandError([...unknown, usage()].join("\n"));
  }
  const taken = { ...command.options, ...command.optional };
  const [foreign] = Object.keys(options).filter((name) => !(name in taken));
  if (foreign !== undefined) {
    throw new CommandError(
      `The command ${words.join(" ")} has no option --${foreign}.\nUsage: pnpm operator ${describeCommand(command)}`,
    );
  }
  const missing = Object.keys(command.options).filter((name) => !options[name]);
  if (missing.length > 0) throw new CommandError(`Add ${missing.map((name) => `--${name}`).join(" and ")}.`);

  const context = open();
  const { deps } = context;
  try {
    const schema = command.runsBeforeMigrations ? { ready: true as const } : await checkSchema(deps);
    if (!schema.ready) throw new CommandError(schema.reason);
    return await command.run(context, options);
  } catch (error) {
    throw toCommandError(error) ?? error;
  } finally {
    await closeDeps(deps);
  }
}

function parseArguments(args: string[]) {
  const names = commands.flatMap(({ options, optional }) => Object.keys({ ...options, ...optional }));
  const known = Object.fromEntries(names.map((name) => [name, { type: "string" as const }]));
  try {
    const { positionals, values } = parseArgs({ args, options: known, allowPositionals: true });
    return { words: positionals, options: values as Record<string, string> };
  } catch (error) {
    // Node's second sentence is about arguments that begin with a dash, and no command takes those.
    const [problem] = String(error instanceof Error ? error.message : error).split(". To specify ");
    throw new CommandError(`${problem?.replace(/\.$/, "")}.\n${usage()}`);
  }
}
