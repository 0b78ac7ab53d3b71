import { inputMessages } from "@querybell/domain";
import type { z } from "zod";
import { CommandError } from "./command-error.ts";

/** Reads one option of a command. An invalid one is refused with a sentence that names it. */
export function parseOption<Schema extends z.ZodType>(
  name: string,
  schema: Schema,
  options: Record<string, string>,
): z.output<Schema> {
  const read = schema.safeParse(options[name], inputMessages);
  if (read.success) return read.data;
  throw new CommandError(`--${name} ${read.error.issues.map(({ message }) => message).join(" and ")}.`);
}
