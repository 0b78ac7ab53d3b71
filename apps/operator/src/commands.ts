import {
  cancelDeletionAsOperator,
  changeSettingsAsOperator,
  createOrganizationAsOperator,
  listOrganizationsAsOperator,
  makeSingleSignOnOptionalAsOperator,
  requestDeletionAsOperator,
} from "@querybell/core/operator";
import { CreateInvitation, CreateOrganization } from "@querybell/domain";
import { applyMigrations } from "@querybell/prisma";
import { auditCommands } from "./audit-commands.ts";
import { backupCommands } from "./backup/backup-commands.ts";
import type { Command, CommandContext } from "./command.ts";
import { keyCommands } from "./key-commands.ts";
import { DateOption, describeLink, parseOption } from "./options.ts";
import { peopleCommands } from "./people-commands.ts";
import { publicRoleCommand } from "./public-role-command.ts";

const onOff = (value: boolean): string => (value ? "on" : "off");

export const commands: Command[] = [
  {
    words: ["organization", "list"],
    summary: "Lists every organization, with its settings.",
    options: {},
    run: async ({ deps }) => {
      const organizations = await listOrganizationsAsOperator(deps);
      const lines = organizations.map(
        ({ slug, name, webhooksEnabled, restCompatibility, deletion, _count: { members } }) =>
          [
            ...[slug, name, `members: ${members}`, `webhooks: ${onOff(webhooksEnabled)}`],
            `rest: ${restCompatibility}`,
            ...(deletion ? [`deletion: ${deletion.dueAt.toISOString()}`] : []),
          ].join("\t"),
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
  {
    words: ["organization", "delete"],
    summary: "Asks for the deletion of an organization, which begins after 14 days. Its owners are told.",
    options: { organization: "<slug>" },
    run: async ({ deps }, { organization: slug = "" }) => {
      const { dueAt } = await requestDeletionAsOperator(deps, { slug });
      return `The deletion of ${slug} begins at ${dueAt}. Until then, cancel it with: organization cancel-deletion --organization ${slug}`;
    },
  },
  {
    words: ["organization", "cancel-deletion"],
    summary: "Cancels the deletion of an organization, unless it has begun.",
    options: { organization: "<slug>" },
    run: async ({ deps }, { organization: slug = "" }) => {
      await cancelDeletionAsOperator(deps, { slug });
      return `${slug} will not be deleted.`;
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
      const restSunsetAt = parseOption("sunset", DateOption.optional(), options);
      await changeSettingsAsOperator(deps, { slug, restCompatibility: "live", restSunsetAt });
      return `The published REST routes are live for ${slug}${restSunsetAt ? ` until ${restSunsetAt}` : ""}.`;
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
  ...peopleCommands,
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
  ...auditCommands,
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
