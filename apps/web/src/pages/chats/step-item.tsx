import { Box, Group, Loader, Paper, Text, Title } from "@mantine/core";
import { durationText } from "../../format/duration.ts";
import { CodeBlock } from "../../ui/code-block.tsx";
import { CheckedSentences } from "./checked-text.tsx";
import { describeStep, textIn } from "./describe-step.ts";
import { useShownRows } from "./shown-rows.tsx";
import classes from "./step-item.module.css";
import { readCheckedSummary, readPreview } from "./step-preview.ts";
import { StepResult } from "./step-result.tsx";
import type { Step } from "./use-live-chat.ts";

/** One step of a chat: a message, or a tool call with its result. */
export function StepItem({ step }: { step: Step }) {
  const { title, text, icon: Icon } = describeStep(step);
  const preview = readPreview(step.output);
  const summary = step.tool === "write_summary" ? readCheckedSummary(step.output) : undefined;
  const sql = step.tool === "run_sql" ? textIn(step.input, "sql") : undefined;
  // SQL of the model's own runs on the database of a reference, and does not show that reference.
  const shortId = sql === undefined ? textIn(step.input, "shortId") : undefined;
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
      {sql !== undefined && (
        <Box mt="xs">
          <CodeBlock code={sql} what="the SQL of the model" wraps />
        </Box>
      )}
      {summary && <CheckedSentences sentences={summary.checkedSentences} />}
      {preview && <StepResult preview={preview} shortId={shortId} marked={marked} />}
    </Paper>
  );
}
