import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Trait } from "../cases/case.ts";
import type { Files } from "../project.ts";
import { findRecipe } from "../readme.ts";
import type { Command } from "../receiving-program.ts";
import { inVariant, type Variant } from "../variants.ts";

/** A framework or runtime of a customer, with the README's recipe for it. */
export interface Setup {
  name: string;
  traits: Trait[];
  type?: "module" | "commonjs";
  /** Names and exact versions of what the project installs besides the kit. */
  dependencies: Record<string, string>;
  /** The files of the project, with a program for each variant. */
  files(): Files | Promise<Files>;
  /** What must be done once after the files are written, without any secret in the environment. */
  build?(folder: string): Promise<void>;
  /** How a variant's program is started in the project. It prints its port. */
  start(folder: string, variant: Variant): Omit<Command, "cwd">;
  /** Where the webhook is. Default: `/webhooks`. */
  path?(variant: Variant): string;
}

const handler = readFileSync(join(import.meta.dirname, "../handler.ts"), "utf8").replaceAll(/^export /gm, "");

export interface ProgramParts {
  heading: string;
  /** A text that only this recipe under the heading contains. */
  containing?: string;
  /** Code before and after the recipe, which the recipe leaves to the reader. */
  before?: string;
  after?: string;
  /** Replaces a fixed text of the recipe, such as its port. */
  replace?: [fixed: string, by: string];
}

/** A program: the handler, the README's recipe, and the code that the recipe leaves to the reader. */
export function programOf(parts: ProgramParts, variant: Variant): string {
  const { heading, containing, before = "", after = "", replace: [fixed, by] = ["", ""] } = parts;
  const recipe = inVariant(findRecipe(heading, containing), variant);
  if (!recipe.includes(fixed)) throw new Error(`The recipe ${heading} has no "${fixed}".`);
  return [before, handler, recipe.replace(fixed, () => by), after].join("\n");
}

export const withoutSecret = (): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("WEBHOOK_")));
