import type { Deps } from "@querybell/core";

/** What commands work with. */
export interface CommandContext {
  deps: Deps;
  databaseUrl: string;
}

export interface Command {
  /** The words of the command, and its required options. */
  words: string[];
  options: string[];
  /** Optional options. */
  optional?: string[];
  /** Whether it also runs on a database that lacks migrations. */
  runsBeforeMigrations?: boolean;
  /** Executes the command and returns the text to print. */
  run(context: CommandContext, options: Record<string, string>): Promise<string>;
}
