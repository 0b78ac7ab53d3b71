import { ParameterValues } from "@querybell/domain";
import { DeclaredSentence, ResultAggregate, ResultPage } from "@querybell/engines";
import type { ModelTool } from "@querybell/models";
import { z } from "zod";

const Result = z.string().max(40).describe("The id of a result, such as r1 or r1_before");

/** The inputs of the tools that a model may call. All of them only read. */
const toolInputs = {
  list_references: z.object({}),
  run_reference: z.object({
    shortId: z.string().max(200).describe("Of a reference, from list_references"),
    parameterValues: ParameterValues.optional().describe("The automation's own values unless given"),
  }),
  read_result: ResultPage.extend({ result: Result }),
  aggregate_result: ResultAggregate.extend({ result: Result }),
  changes_since_last_run: z.object({ result: Result }),
  write_summary: z.object({ sentences: z.array(DeclaredSentence).min(1).max(12) }),
};
type ToolName = keyof typeof toolInputs;

const descriptions: Record<ToolName, string> = {
  list_references: "Lists the references of this automation: titles, descriptions, parameters and columns.",
  run_reference: "Runs a reference and gives its result an id. Answers its columns and first rows.",
  read_result: "Filters, sorts and pages the rows of a result.",
  aggregate_result: "Groups the rows of a result and computes measures of each group.",
  changes_since_last_run: "Says how a result differs from that of the automation's last completed run.",
  write_summary: "Ends with a summary: sentences, each with declarations of what is written in it.",
};

const isToolName = (name: string): name is ToolName => Object.hasOwn(toolInputs, name);

const toTool = (name: ToolName): ModelTool => ({
  name,
  description: descriptions[name],
  input: z.toJSONSchema(toolInputs[name], { target: "draft-7", io: "input", unrepresentable: "any" }),
});

/** The tools as the model is told of them. */
export const modelTools: ModelTool[] = [
  toTool("list_references"),
  toTool("run_reference"),
  toTool("read_result"),
  toTool("aggregate_result"),
  toTool("changes_since_last_run"),
  toTool("write_summary"),
];

export type ParsedCall =
  | { [Name in ToolName]: { name: Name; input: z.infer<(typeof toolInputs)[Name]> } }[ToolName]
  | { name: null; problem: string };

/** Reads the arguments of a call. A model may write anything. */
export function parseCall(name: string, text: string): ParsedCall {
  if (!isToolName(name))
    return { name: null, problem: `There is no tool ${JSON.stringify(name.slice(0, 60))}.` };
  let input: unknown;
  try {
    input = text.trim() === "" ? {} : JSON.parse(text);
  } catch {
    return { name: null, problem: "The arguments are no JSON object. Call the tool again." };
  }
  const parsed = toolInputs[name].safeParse(input);
  if (!parsed.success)
    return { name: null, problem: `The arguments do not fit: ${problemsOf(parsed.error)}` };
  // The schema of this name has parsed it.
  return { name, input: parsed.data } as ParsedCall;
}

const problemsOf = ({ issues }: z.ZodError): string =>
  issues
    .slice(0, 5)
    .map(({ path, message }) => `${path.join(".") || "it"} ${message}`)
    .join("; ");
