import { Group, Loader, Paper, Text, Title } from "@mantine/core";
import type { Outputs } from "@querybell/client";
import { IconAlertTriangle, IconDatabase, IconListDetails, IconMessage, IconTool } from "@tabler/icons-react";
import { durationText } from "../../components/duration.ts";
import { pluralize } from "../../components/pluralize.ts";
import classes from "./step-item.module.css";
import { readPreview } from "./step-preview.ts";
import { StepResult } from "./step-result.tsx";

type Step = Outputs["automationRuns"]["steps"]["items"][number];

/** One step of a chat: what was said, or what a tool was asked and answered. */
export function StepItem({ step }: { step: Step }) {
  const { title, text, icon: Icon } = describe(step);
  const preview = readPreview(step.output);
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
      {preview && <StepResult preview={preview} shortId={shortIdOf(step)} />}
    </Paper>
  );
}

const messageTitles: Record<string, string> = { instruction: "Instruction" };

function describe({ kind, name, tool, state, text, output }: Step) {
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
    default:
      return { title: tool ?? "A tool", text, icon };
  }
}

/** The reference that a step ran, as its input names it. */
function shortIdOf({ input }: Step): string | undefined {
  const isNamed = typeof input === "object" && input !== null && "shortId" in input;
  return isNamed && typeof input.shortId === "string" ? input.shortId : undefined;
}
