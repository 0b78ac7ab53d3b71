import { Group, Loader, Paper, Text, Title } from "@mantine/core";
import type { Outputs } from "@querybell/client";
import { IconAlertTriangle, IconDatabase, IconListDetails, IconMessage, IconTool } from "@tabler/icons-react";
import { durationText } from "../../components/duration.ts";
import { pluralize } from "../../components/pluralize.ts";
import { CheckedSentences } from "./checked-text.tsx";
import { useShownRows } from "./shown-rows.tsx";
import classes from "./step-item.module.css";
import { readCheckedSummary, readPreview } from "./step-preview.ts";
import { StepResult } from "./step-result.tsx";

type Step = Outputs["automationRuns"]["steps"]["items"][number];

/** One step of a chat: a message, or a tool call with its result. */
export function StepItem({ step }: { step: Step }) {
  const { title, text, icon: Icon } = describe(step);
  const preview = readPreview(step.output);
  const summary = step.tool === "write_summary" ? readCheckedSummary(step.output) : undefined;
  const marked = useShownRows(step.name);
  return (
    <Paper component="li" withBorder p="md" className={classes.step} data-state={step.state}>
      <Group gap="xs" wrap="nowrap" align="flex-start">
        <Icon size={18} className={classes.icon} aria-hidden="true" />
        <Title order={3} size="h6" className={classes.title}>
          {title}
        </Title>
        {step.state === "running" && <Loader size="xs" mt={3} role="img" aria-label="Running" />}
        {step.tool !== null && step.endedAt && (
          <Text size="xs" c="dimmed" mt={2}>
            {durationText(Date.parse(step.endedAt) - Date.parse(step.createdAt))}
          </Text>
        )}
      </Group>
      {text !== "" && (
        <Text mt={4} className={classes.text} {...(step.state === "failed" && { c: "var(--qb-bad)" })}>
          {text}
        </Text>
      )}
      {summary && <CheckedSentences sentences={summary.checkedSentences} />}
      {preview && <StepResult preview={preview} shortId={shortIdOf(step)} marked={marked} />}
    </Paper>
  );
}

const messageTitles: Record<string, string> = { instruction: "Instruction" };

function describe({ kind, name, tool, state, text, input, output }: Step) {
  if (kind === "message") return { title: messageTitles[name] ?? "Agent", text, icon: IconMessage };
  const failed = state === "failed";
  const icon = failed ? IconAlertTriangle : tool === "run_query" ? IconDatabase : IconTool;
  const count = Array.isArray(output) ? output.length : 0;
  switch (tool) {
    case "run_query":
      return failed ? { title: "A query failed", text, icon } : { title: text || "A query", text: "", icon };
    case "list_references":
      return {
        title: `Looked up ${pluralize(count, "reference")}`,
        text: failed ? text : "",
        icon: IconListDetails,
      };
    case "describe_schema":
      return { title: `Read the schema: ${pluralize(count, "table")}`, text: failed ? text : "", icon };
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
function titleOf(input: Step["input"]): string {
  const isNamed = typeof input === "object" && input !== null && "title" in input;
  return isNamed && typeof input.title === "string" ? input.title : "a result";
}

function changesOf(output: Step["output"]): string {
  const hasChanges = typeof output === "object" && output !== null && "changes" in output;
  return hasChanges && Array.isArray(output.changes) ? output.changes.join(" ") : "";
}

/** The short id of the reference that a step ran, from its input. */
function shortIdOf({ input }: Step): string | undefined {
  const isNamed = typeof input === "object" && input !== null && "shortId" in input;
  return isNamed && typeof input.shortId === "string" ? input.shortId : undefined;
}
