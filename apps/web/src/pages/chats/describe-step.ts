import { IconAlertTriangle, IconDatabase, IconListDetails, IconMessage, IconTool } from "@tabler/icons-react";
import { pluralize } from "../../format/pluralize.ts";
import type { Step } from "./use-live-chat.ts";

const messageTitles: Record<string, string> = { instruction: "Instruction" };

/** The heading, text and icon of a step. */
export function describeStep({ kind, name, tool, state, text, input, output }: Step) {
  if (kind === "message") return { title: messageTitles[name] ?? "Agent", text, icon: IconMessage };
  const failed = state === "failed";
  const isQuery = tool === "run_query" || tool === "run_sql";
  const icon = failed ? IconAlertTriangle : isQuery ? IconDatabase : IconTool;
  switch (tool) {
    case "run_query":
      return failed ? { title: "A query failed", text, icon } : { title: text || "A query", text: "", icon };
    case "run_sql":
      return failed
        ? { title: "SQL of the model failed", text, icon }
        : { title: text || "SQL of the model", text: `SQL that the model wrote${valuesText(input)}:`, icon };
    case "list_references":
      return {
        title: `Looked up ${pluralize(Array.isArray(output) ? output.length : 0, "chart")}`,
        text: failed ? text : "",
        icon: IconListDetails,
      };
    case "refresh_dashboard":
      return failed
        ? { title: "The dashboard was not refreshed", text, icon }
        : { title: `Refreshed the dashboard ${text}`, text: "", icon };
    case "describe_schema":
      return {
        title: `Read the schema: ${pluralize(countTables(output), "table")}`,
        text: failed ? text : "",
        icon,
      };
    case "read_result":
      return { title: `Read rows of ${titleOf(input)}`, text: failed ? text : "", icon };
    case "aggregate_result":
      return { title: `Computed figures of ${titleOf(input)}`, text: failed ? text : "", icon };
    case "changes_since_last_run":
      return {
        title: `Compared ${titleOf(input)} with the run before`,
        text: failed ? text : changesOf(output),
        icon,
      };
    case "write_summary":
      return { title: "Wrote a summary, which was checked", text: failed ? text : "", icon };
    default:
      return { title: tool ?? "A tool", text, icon };
  }
}

/** The title of the result that a tool call reads. */
const titleOf = (input: Step["input"]): string => textIn(input, "title") ?? "a result";

/** The values that were bound to SQL of the model. */
function valuesText(input: Step["input"]): string {
  const hasValues = typeof input === "object" && input !== null && "parameterValues" in input;
  const values = Object.entries((hasValues && input.parameterValues) || {});
  const written = values.map(([name, value]) => `${name} = ${JSON.stringify(value)}`);
  return written.length === 0 ? "" : `, with ${written.join(", ")}`;
}

function changesOf(output: Step["output"]): string {
  const hasChanges = typeof output === "object" && output !== null && "changes" in output;
  return hasChanges && Array.isArray(output.changes) ? output.changes.join(" ") : "";
}

/** A text of a step's input or output, which can be any JSON. */
export function textIn(json: Step["input"], key: string): string | undefined {
  const value = typeof json === "object" && json !== null && !Array.isArray(json) ? json[key] : undefined;
  return typeof value === "string" ? value : undefined;
}

/** The tables that describe_schema found. An agent may store them alone. */
function countTables(output: Step["output"]): number {
  if (Array.isArray(output)) return output.length;
  const isNamed = typeof output === "object" && output !== null && "tables" in output;
  return isNamed && Array.isArray(output.tables) ? output.tables.length : 0;
}
