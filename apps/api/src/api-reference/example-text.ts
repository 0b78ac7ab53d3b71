import { z } from "zod";
import recorded from "./examples.json" with { type: "json" };
import type { Procedure } from "./procedures.ts";

/** A call that a test made, and its answer. */
export const Example = z.strictObject({ input: z.json().optional(), answer: z.json().optional() });
export type Example = z.infer<typeof Example>;

/** The examples of all procedures. `examples.test.ts` makes every one of these calls again. */
export const examples = z.record(z.string(), Example).parse(recorded);

const origin = "http://localhost:4000";
const lineWidth = 100;

/** The example of a procedure as markdown: a command, and its answer. */
export function exampleText(procedure: Procedure): string {
  const example = examples[procedure.path];
  if (!example)
    throw new Error(`There is no example of ${procedure.path}. Record one in src/testing/examples/.`);
  const { answer } = example;
  const shown =
    answer === undefined
      ? []
      : [procedure.type === "subscription" ? "The first message:" : "", fence("json", jsonText(answer))];
  return ["**Example**", fence("sh", curlText(procedure, example)), ...shown].filter(Boolean).join("\n\n");
}

const fence = (language: string, text: string): string => `\`\`\`${language}\n${text}\n\`\`\``;

function curlText(procedure: Procedure, { input }: Example): string {
  const isMutation = procedure.type === "mutation";
  const parts = [
    procedure.type === "subscription" ? "curl -N" : "curl",
    ...credentials(procedure),
    ...(isMutation ? ["-H 'Content-Type: application/json'"] : []),
    ...(isMutation && input === undefined ? ["-X POST"] : []),
    ...(input === undefined ? [] : [inputOption(isMutation, input)]),
    `${origin}/api/trpc/${procedure.path}`,
  ];
  const line = parts.join(" ");
  if (line.length <= lineWidth && !line.includes("\n")) return line;
  // Credentials are on the line of the command; body and URL have their own lines.
  const options = parts.slice(0, -1).filter((part) => !/^(-d|-G)/.test(part));
  const rest = parts.slice(0, -1).filter((part) => /^(-d|-G)/.test(part));
  return [options.join(" "), ...rest, parts.at(-1)].join(" \\\n  ");
}

function credentials({ access, scope, type }: Procedure): string[] {
  if (access === "public") return [];
  if (access === "key" || scope) return ["-H 'Authorization: Bearer qb_…'"];
  return type === "mutation" ? ["-b session.txt", `-H 'Origin: ${origin}'`] : ["-b session.txt"];
}

function inputOption(isMutation: boolean, input: unknown): string {
  const json = jsonText(input).replaceAll("'", "'\\''");
  return isMutation ? `-d '${json}'` : `-G --data-urlencode 'input=${json}'`;
}

/** Readable JSON: a value that fits on one line is not split. */
export function jsonText(value: unknown, column = 0): string {
  const line = oneLine(value);
  if (typeof value !== "object" || value === null || column + line.length <= lineWidth) return line;
  const isList = Array.isArray(value);
  const parts = isList
    ? value.map((item) => jsonText(item, 2))
    : Object.entries(value).map(
        ([name, item]) => `${JSON.stringify(name)}: ${jsonText(item, name.length + 6)}`,
      );
  const lines = parts.map((part) => `  ${part.replaceAll("\n", "\n  ")}`);
  return [isList ? "[" : "{", lines.join(",\n"), isList ? "]" : "}"].join("\n");
}

function oneLine(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(oneLine).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).map(([name, item]) => `${JSON.stringify(name)}: ${oneLine(item)}`);
  return fields.length === 0 ? "{}" : `{ ${fields.join(", ")} }`;
}
