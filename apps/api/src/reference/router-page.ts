import { audienceOf } from "./audience.ts";
import { errorTable } from "./error-table.ts";
import { exampleText } from "./example-text.ts";
import type { Procedure } from "./procedures.ts";
import { inputSchema, outputSchema } from "./schema-of.ts";
import { type JsonSchema, typeText } from "./type-text.ts";

/** The named types of a page so far. */
type Types = Map<string, JsonSchema>;

/** The page of a router: each of its procedures, then the types that their answers name. */
export function routerPage(router: string, procedures: Procedure[]): string {
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
    inputText(procedure),
    answerText(procedure, types),
    Object.keys(procedure.errors).length > 0 ? `**Errors**\n\n${errorTable(procedure.errors)}` : "",
    exampleText(procedure),
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

function inputText({ inputs }: Procedure): string {
  if (inputs.length === 0) return "**Input**: none.";
  return `**Input**\n\n${inputs.map((schema) => block(typeText(inputSchema(schema)))).join("\n\n")}`;
}

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
