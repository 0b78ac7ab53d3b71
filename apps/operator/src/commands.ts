import {
  changeSettingsAsOperator,
  createOrganizationAsOperator,
  createPasswordResetLinkAsOperator,
  erasePersonAsOperator,
  listOrganizationsAsOperator,
  makeSingleSignOnOptionalAsOperator,
  removeFactorsAsOperator,
} from "@querybell/core/operator";
import { CreateInvitation, CreateOrganization, inputMessages, type SharedLink } from "@querybell/domain";
import { applyMigrations } from "@querybell/prisma";
import { z } from "zod";
import { backupCommands } from "./backup/backup-commands.ts";
import type { Command, CommandContext } from "./command.ts";
import { CommandError } from "./command-error.ts";
import { keyCommands } from "./key-commands.ts";
import { publicRoleCommand } from "./public-role-command.ts";

const Sunset = z
  .union([z.iso.date(), z.iso.datetime()], {
    error: "must look like 2027-01-31, or 2027-01-31T12:00:00Z",
  })
  .transform((text) => new Date(text).toISOString());

const onOff = (value: boolean): string => (value ? "on" : "off");

export const commands: Command[] = [
  {
    words: ["organization", "list"],
    summary: "Lists every organization, with its settings.",
    options: {},
    run: async ({ deps }) => {
      const organizations = await listOrganizationsAsOperator(deps);
      const lines = organizations.map(
        ({ slug, name, webhooksEnabled, restCompatibility, _count: { members } }) =>
          `${slug}\t${name}\tmembers: ${members}\twebhooks: ${onOff(webhooksEnabled)}\trest: ${restCompatibility}`,
      );
      return lines.join("\n") || "There is no organization yet. Create one with: organization create";
    },
  },
  {
    words: ["organization", "create"],
    summary: "Creates an organization, and a link for its first owner.",
    options: { name: "<name>", owner: "<email>" },
    run: async ({ deps }, options) => {
      const name = parseOption("name", CreateOrganization.shape.name, options);
      const email = parseOption("owner", CreateInvitation.shape.email, options);
      const { slug, link } = await createOrganizationAsOperator(deps, { name, email });
      return `Created ${slug}. Its owner joins with ${describeLink(link)}`;
    },
  },
  ...[true, false].map((webhooksEnabled) => ({
    words: ["webhooks", onOff(webhooksEnabled)],
    summary: `${webhooksEnabled ? "Enables" : "Disables"} webhooks for an organization.`,
    options: { organization: "<slug>" },
    run: async ({ deps }: CommandContext, { organization: slug = "" }) => {
      await changeSettingsAsOperator(deps, { slug, webhooksEnabled });
      return `Webhooks are ${onOff(webhooksEnabled)} for ${slug}.`;
    },
  })),
  {
    words: ["rest", "retired"],
    summary: "Retires the published REST routes for an organization.",
    options: { organization: "<slug>" },
    run: async ({ deps }, { organization: slug = "" }) => {
      await changeSettingsAsOperator(deps, { slug, restCompatibility: "retired" });
      return `The published REST routes are retired for ${slug}.`;
    },
  },
  {
    words: ["rest", "live"],
    summary: "Makes them live again, permanently or until that date.",
    options: { organization: "<slug>" },
    optional: { sunset: "<date>" },
    run: async ({ deps }, options) => {
      const { organization: slug = "" } = options;
      const restSunsetAt = parseOption("sunset", Sunset.optional(), options);
      await changeSettingsAsOperator(deps, { slug, restCompatibility: "live", restSunsetAt });
      return `The published REST routes are live for ${slug}${restSunsetAt ? ` until ${restSunsetAt}` : ""}.`;
    },
  },
  {
    words: ["reset-password"],
    summary: "Creates a link with which a person sets a new password.",
    options: { email: "<email>" },
    run: async ({ deps }, options) => {
      const email = parseOption("email", z.email({ error: "must be an email address" }), options);
      const link = await createPasswordResetLinkAsOperator(deps, { email });
      return `A new password for ${email} is set with ${describeLink(link)}`;
    },
  },
  {
    words: ["erase-person"],
    summary: "Erases a person for good. What they made stays in their organizations, by “Deleted user”.",
    options: { email: "<email>" },
    run: async ({ deps }, options) => {
      const email = parseOption("email", z.email({ error: "must be an email address" }), options);
      await erasePersonAsOperator(deps, { email });
      return "The person is erased. Backups that were made before still have them.";
    },
  },
  {
    words: ["sso", "optional"],
    summary: "Lets passwords open an organization again that demands single sign-on.",
    options: { organization: "<slug>" },
    run: async ({ deps }, { organization: slug = "" }) => {
      await makeSingleSignOnOptionalAsOperator(deps, { slug });
      return `Members of ${slug} can sign in with passwords and passkeys again.`;
    },
  },
  {
    words: ["reset-second-factor"],
    summary: "Removes the second factors of a person who has lost them, at once.",
    options: { email: "<email>" },
    run: async ({ deps }, options) => {
      const email = parseOption("email", z.email({ error: "must be an email address" }), options);
      await removeFactorsAsOperator(deps, { email });
      return `${email} signs in with the password alone from now on.`;
    },
  },
  {
    words: ["migrate"],
    summary: "Applies the migrations that the database lacks.",
    options: {},
    runsBeforeMigrations: true,
    run: async ({ databaseUrl }) => {
      const applied = await applyMigrations(databaseUrl);
      return applied.length > 0 ? `Applied ${applied.join(", ")}.` : "The database is up to date.";
    },
  },
  publicRoleCommand,
  ...backupCommands,
  ...keyCommands,
];

export const usage = (): string =>
  [
    "Usage: pnpm operator <command>",
    ...commands.map((command) => `\n  ${describeCommand(command)}\n      ${command.summary}`),
  ].join("\n");

/** A command with its options, such as `reset-password --email <email>`. */
export const describeCommand = ({ words, options, optional = {} }: Command): string =>
  [
    ...words,
    ...Object.entries(options).map(([option, value]) => `--${option} ${value}`),
    ...Object.entries(optional).map(([option, value]) => `[--${option} ${value}]`),
  ].join(" ");

const describeLink = ({ url, expiresAt, mailed }: SharedLink): string =>
  `this link, valid until ${expiresAt}${mailed ? " and mailed too" : ""}:\n${url}`;

/** Reads one option of a command. An invalid one is refused with a sentence that names it. */
function parseOption<Schema extends z.ZodType>(
  name: string,
  schema: Schema,
  options: Record<string, string>,
): z.output<Schema> {
  const read = schema.safeParse(options[name], inputMessages);
  if (read.success) return read.data;
  throw new CommandError(`--${name} ${read.error.issues.map(({ message }) => message).join(" and ")}.`);
}
