import type { Deps } from "@querybell/core";

/** What commands work with. */
export interface CommandContext {
  deps: Deps;
  databaseUrl: string;
  /** Opens the database in which backups are checked. Undefined if there is none. */
  openCheckDatabase?: (() => CommandContext) | undefined;
}

export interface Command {
  words: string[];
  /** What it does, for the operator. */
  summary: string;
  /** The required options, each with its value as the usage shows it. */
  options: Record<string, string>;
  /** The optional ones. */
  optional?: Record<string, string>;
  /** Whether it also runs on a database that lacks migrations. */
  runsBeforeMigrations?: boolean;
  /** Executes the command and returns the text to print. */
  run(context: CommandContext, options: Record<string, string>): Promise<string>;
}
