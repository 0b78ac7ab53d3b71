import { inputMessages, type SharedLink } from "@querybell/domain";
import { z } from "zod";
import { CommandError } from "./command-error.ts";

export const DateOption = z
  .union([z.iso.date(), z.iso.datetime()], {
    error: "must look like 2027-01-31, or 2027-01-31T12:00:00Z",
  })
  .transform((text) => new Date(text).toISOString());

export const EmailOption = z.email({ error: "must be an email address" });

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

export const describeLink = ({ url, expiresAt, mailed }: SharedLink): string =>
  `this link, valid until ${expiresAt}${mailed ? " and mailed too" : ""}:\n${url}`;
