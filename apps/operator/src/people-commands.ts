import {
  createPasswordResetLinkAsOperator,
  disablePersonAsOperator,
  enablePersonAsOperator,
  endAllSessionsAsOperator,
  endSessionsAsOperator,
  erasePersonAsOperator,
  removeFactorsAsOperator,
} from "@querybell/core/operator";
import type { Command } from "./command.ts";
import { countOf } from "./count-of.ts";
import { describeLink, EmailOption, parseOption } from "./options.ts";

export const peopleCommands: Command[] = [
  {
    words: ["reset-password"],
    summary: "Creates a link with which a person sets a new password.",
    options: { email: "<email>" },
    run: async ({ deps }, options) => {
      const email = parseOption("email", EmailOption, options);
      const link = await createPasswordResetLinkAsOperator(deps, { email });
      return `A new password for ${email} is set with ${describeLink(link)}`;
    },
  },
  {
    words: ["erase-person"],
    summary: "Erases a person for good. What they made stays in their organizations, by “Deleted user”.",
    options: { email: "<email>" },
    run: async ({ deps }, options) => {
      const email = parseOption("email", EmailOption, options);
      await erasePersonAsOperator(deps, { email });
      return "The person is erased. Backups that were made before still have them.";
    },
  },
  {
    words: ["reset-second-factor"],
    summary: "Removes the second factors of a person who has lost them, at once.",
    options: { email: "<email>" },
    run: async ({ deps }, options) => {
      const email = parseOption("email", EmailOption, options);
      await removeFactorsAsOperator(deps, { email });
      return `${email} signs in with the password alone from now on.`;
    },
  },
  {
    words: ["disable-person"],
    summary:
      "Keeps a person out: ends their sessions, revokes their API keys and programs, refuses new ones.",
    options: { email: "<email>" },
    run: async ({ deps }, options) => {
      const email = parseOption("email", EmailOption, options);
      const { sessions, keys, withoutOwner } = await disablePersonAsOperator(deps, { email });
      const ended = `${countOf(sessions, "session")} ended, ${countOf(keys, "API key or program", "API keys and programs")} revoked`;
      return [
        `${email} is disabled: ${ended}. What they made stays, and their automations go on.`,
        ...withoutOwner.map((slug) => `${slug} has no other owner who can sign in.`),
      ].join("\n");
    },
  },
  {
    words: ["enable-person"],
    summary: "Lets a disabled person sign in again. They create new API keys.",
    options: { email: "<email>" },
    run: async ({ deps }, options) => {
      const email = parseOption("email", EmailOption, options);
      await enablePersonAsOperator(deps, { email });
      return `${email} can sign in again.`;
    },
  },
  {
    words: ["end-sessions"],
    summary: "Ends the sessions of a person, who signs in again.",
    options: { email: "<email>" },
    run: async ({ deps }, options) => {
      const email = parseOption("email", EmailOption, options);
      return `Ended ${countOf(await endSessionsAsOperator(deps, { email }), "session")} of ${email}.`;
    },
  },
  {
    words: ["end-all-sessions"],
    summary: "Ends the sessions of everybody.",
    options: {},
    run: async ({ deps }) => `Ended ${countOf(await endAllSessionsAsOperator(deps), "session")}.`,
  },
];
