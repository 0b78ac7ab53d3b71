import { ApiSettings } from "../env.ts";
import { audienceOf } from "./audience.ts";
import { commonErrors } from "./common-errors.ts";
import { errorTable } from "./error-table.ts";
import type { Procedure } from "./procedures.ts";

const { RATE_LIMIT_PER_MINUTE, MAX_SUBSCRIPTIONS } = ApiSettings.shape;

const intro = `# Reference

Every procedure: what it takes, what it answers, when it refuses, who may call it, and an example. These pages are written from the schemas that check the calls; each example is a call that a test makes, with the answer that came.

[How to call a procedure](../api.md): with an API key or a session, over HTTP or with the typed client. In the examples \`qb_…\` is an API key, and \`session.txt\` the cookie of [somebody who has signed in](../api.md#as-a-person-a-session). Their answers are what HTTP gives in \`result.data\`.

## How to read the types

They are close to TypeScript. \`field?\` can be left out. \`uuid\`, \`url\` and \`email\` are texts of that form, \`time\` is an ISO 8601 timestamp, \`integer\` is a whole number, and \`json\` is any JSON. An input with a field that is not listed is refused; an answer may have more fields in a later version.

## Who may call

**Members** are signed in and belong to the organization; **admins** are those of its members who are admins or owners. Both call with a session. An API key calls what names a scope, if it has that scope.

## Limits

Each API key, and each person, can make ${RATE_LIMIT_PER_MINUTE.parse(undefined)} calls at once and as many more in each minute after, spread evenly, and has at most ${MAX_SUBSCRIPTIONS.parse(undefined)} subscriptions open, unless the operator has set [something else](../operating.md). A body has at most 1 MiB.

## Errors that every procedure can give

Each procedure lists those that it gives besides. \`conflict\` can also mean that somebody else did the same at the same moment: nothing was changed.

${errorTable(commonErrors)}

## Procedures`;

/** The index: what all procedures have in common, and a list of them. */
export function indexPage(procedures: Procedure[], fileOf: (procedure: Procedure) => string): string {
  const rows = procedures.map(
    (procedure) =>
      `| [\`${procedure.path}\`](${fileOf(procedure)}#${anchorOf(procedure)}) | ${procedure.type} | ${audienceOf(procedure)} | ${procedure.summary} |`,
  );
  return `${intro}\n\n${["| procedure | kind | for | what it does |", "|---|---|---|---|", ...rows].join("\n")}\n`;
}

const anchorOf = ({ path }: Procedure): string => path.replace(".", "").toLowerCase();
