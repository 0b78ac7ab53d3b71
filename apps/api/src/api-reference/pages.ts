import { errorCodes } from "@querybell/domain";
import { webhookEventCatalogue } from "@querybell/domain/webhook-event-catalogue";
import { ApiSettings } from "../env.ts";
import { commonErrors, type DocumentedErrors } from "../trpc/documented-errors.ts";
import { exampleText, jsonText } from "./example-text.ts";
import { type Procedure, procedures } from "./procedures.ts";
import { inputSchema, type JsonSchema, outputSchema, typeText } from "./type-text.ts";

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

## Events

[What webhooks and subscriptions get](events.md), with the JSON Schema and an example of each event.

## Procedures`;

/** The index: what all procedures have in common, and a list of them. */
function indexPage(procedures: Procedure[], fileOf: (procedure: Procedure) => string): string {
  const rows = procedures.map(
    (procedure) =>
      `| [\`${procedure.path}\`](${fileOf(procedure)}#${anchorOf(procedure)}) | ${procedure.type} | ${audienceOf(procedure)} | ${procedure.summary} |`,
  );
  return `${intro}\n\n${["| procedure | kind | for | what it does |", "|---|---|---|---|", ...rows].join("\n")}\n`;
}

const anchorOf = ({ path }: Procedure): string => path.replace(".", "").toLowerCase();

/** The named types of a page so far. */
type Types = Map<string, JsonSchema>;

/** The page of a router: each of its procedures, then the types that their answers name. */
function routerPage(router: string, procedures: Procedure[]): string {
  const types: Types = new Map();
  const sections = procedures.map((procedure) => procedureText(procedure, types));
  const declarations: string[] = [];
  // Types that are named by other types are added while those are written.
  for (const [name, schema] of types) {
    declarations.push(`### ${name}\n\n${block(typeText(schema, { onName: naming(types, name) }))}`);
  }
  return `${[
    `# Reference: ${router}`,
    "How to call a procedure, how to read the types, and the errors that every procedure can give: [first page](README.md).",
    ...sections,
    ...(declarations.length > 0 ? ["## Types", ...declarations] : []),
  ].join("\n\n")}\n`;
}

function procedureText(procedure: Procedure, types: Types): string {
  const { path, type, summary } = procedure;
  return [
    `## ${path}`,
    `${summary}.`,
    `A ${type}, for ${audienceOf(procedure)}.`,
    inputText(procedure, types),
    answerText(procedure, types),
    Object.keys(procedure.errors).length > 0 ? `**Errors**\n\n${errorTable(procedure.errors)}` : "",
    exampleText(procedure),
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

function inputText({ inputs }: Procedure, types: Types): string {
  if (inputs.length === 0) return "**Input**: none.";
  const texts = inputs.map((input) => {
    const whole = inputSchema(input);
    const name = naming(types);
    const onName = (of: string, schema: JsonSchema) => schema !== whole && isLong(schema) && name(of, schema);
    return block(typeText(whole, { onName }));
  });
  return `**Input**\n\n${texts.join("\n\n")}`;
}

const maxInputLines = 60;

/** An input is written with all its fields, but for types that would hide the others. */
const isLong = (schema: JsonSchema): boolean => typeText(schema).split("\n").length > maxInputLines;

function answerText({ output, type }: Procedure, types: Types): string {
  const title = type === "subscription" ? "**Each message**" : "**Answer**";
  if (!output) return `${title}: nothing.`;
  const text = typeText(outputSchema(output), { onName: naming(types) });
  const [, name] = /^([A-Z]\w*)(?:\[\]| \| null)?$/.exec(text) ?? [];
  return name ? `${title}: [\`${text}\`](#${name.toLowerCase()})` : `${title}\n\n${block(text)}`;
}

const block = (text: string): string => `\`\`\`ts\n${text.trimStart()}\n\`\`\``;

/** Collects the named types. The type that is being declared is written with its fields, once. */
function naming(types: Types, declared?: string) {
  let isSpelledOut = declared === undefined;
  return (name: string, schema: JsonSchema): boolean => {
    if (!isSpelledOut && name === declared) {
      isSpelledOut = true;
      return false;
    }
    types.set(name, types.get(name) ?? schema);
    return true;
  };
}

/** Who may call a procedure, in words. */
function audienceOf({ access, scope, needsWebhooks }: Procedure): string {
  switch (access) {
    case "public":
      return "anybody";
    case "person":
      return "anybody who is signed in";
    case "key":
      return "any API key";
    case "viewer":
      return scope ? `viewers and members, and keys with \`${scope}\`` : "viewers and members";
    case "member":
      return scope ? `members, and keys with \`${scope}\`` : "members";
    case "admin":
      return needsWebhooks ? "admins, where webhooks are enabled" : "admins";
  }
}

/** A table of codes with their HTTP status, in the order of the statuses. */
function errorTable(errors: DocumentedErrors): string {
  const rows = Object.entries(errorCodes)
    .map(([code, { status }]) => ({
      code,
      status,
      when: Object.entries(errors).find(([one]) => one === code)?.[1],
    }))
    .filter(({ when }) => when !== undefined)
    .map(({ code, status, when }) => `| ${status} | \`${code}\` | ${when} |`);
  return ["| status | reason | when |", "|---|---|---|", ...rows].join("\n");
}

/** The catalogue of events. */
const eventsPage = (): string =>
  `${[
    "# Reference: events",
    "What [webhook endpoints](../webhooks.md) get, and most of it also [subscriptions over MCP](../agents.md#events): when, an example of the body, and its JSON Schema. Later versions can add fields and types.",
    ["| type | when |", "|---|---|", ...webhookEventCatalogue.map(eventRow)].join("\n"),
    ...webhookEventCatalogue.map(eventText),
  ].join("\n\n")}\n`;

type EventTypeEntry = (typeof webhookEventCatalogue)[number];

const eventRow = ({ type, description }: EventTypeEntry): string =>
  `| [\`${type}\`](#${type.replaceAll(".", "")}) | ${description} |`;

const eventText = ({ type, description, fields, schema, example }: EventTypeEntry): string =>
  [
    `## ${type}`,
    `${description}.`,
    `Fields that filters can name: ${fields.map((field) => `\`${field}\``).join(", ")}.`,
    `\`\`\`json\n${jsonText(example)}\n\`\`\``,
    `**JSON Schema**\n\n\`\`\`json\n${jsonText(schema)}\n\`\`\``,
  ].join("\n\n");

const routerOf = ({ path }: Procedure): string => path.split(".")[0] ?? path;
const toFile = (router: string): string =>
  `${router.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}.md`;

/** The pages of the reference as markdown, by file name: an index and one for each router. */
export const referencePages: Record<string, string> = {
  "README.md": indexPage(procedures, (procedure) => toFile(routerOf(procedure))),
  "events.md": eventsPage(),
  ...Object.fromEntries(
    [...Map.groupBy(procedures, routerOf)].map(([router, its]) => [toFile(router), routerPage(router, its)]),
  ),
};
