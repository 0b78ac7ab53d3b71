import { Alert, Group, Loader, Paper, Text, Title } from "@mantine/core";
import type { CheckedSummary } from "@querybell/domain";
import { IconAlertTriangle, IconPlayerStop } from "@tabler/icons-react";
import { Fragment } from "react";
import { type AutomationRun, failureText } from "../../runs/run-state.tsx";
import { UncheckedTag } from "../../runs/unchecked-tag.tsx";
import classes from "./chat-outcome.module.css";
import { CheckedText } from "./checked-text.tsx";

interface ChatOutcomeProps {
  run: AutomationRun;
  /** The summary as it was checked, of a run of the agent `model`. */
  checked: CheckedSummary | undefined;
}

/** The outcome of the run: its summary, its failure, or that it is still running. */
export function ChatOutcome({ run, checked }: ChatOutcomeProps) {
  const { summary, failure, status, isQueued } = run;
  if (failure) {
    const isStopped = failure.code === "stopped";
    return (
      <Alert
        color={isStopped ? "gray" : "red"}
        icon={isStopped ? <IconPlayerStop /> : <IconAlertTriangle />}
        title={isStopped ? "Stopped" : "It failed"}
      >
        {failureText(failure)}
      </Alert>
    );
  }
  if (summary !== null) {
    return (
      <Paper component="section" aria-labelledby="summary" withBorder p="lg" className={classes.summary}>
        <Group gap="xs" mb="xs">
          <Title order={2} size="h5" id="summary">
            Summary
          </Title>
          <UncheckedTag agent={run.agent} />
        </Group>
        <Text size="lg" className={classes.text}>
          <SummaryText summary={summary} checked={checked} />
        </Text>
      </Paper>
    );
  }
  return (
    <Paper withBorder p="lg" className={classes.summary}>
      <Group gap="sm" wrap="nowrap">
        <Loader size="sm" aria-hidden="true" />
        <Text c="dimmed">{waitingText(status, isQueued)}</Text>
      </Group>
    </Paper>
  );
}

/** The summary, with each number as a link to its rows where it was checked. */
function SummaryText({ summary, checked }: { summary: string; checked: CheckedSummary | undefined }) {
  const kept = checked?.checkedSentences.filter(
    ({ text, problems }) => problems.length === 0 && summary.includes(text.trim()),
  );
  if (!kept || kept.map(({ text }) => text.trim()).join(" ") !== summary) return summary;
  return kept.map((sentence, index) => (
    <Fragment key={index}>
      {index > 0 && " "}
      <CheckedText sentence={sentence} />
    </Fragment>
  ));
}

function waitingText(status: AutomationRun["status"], isQueued: boolean): string {
  if (isQueued) return "Waiting for the run before it.";
  if (status === "pending") return "Waiting for an agent.";
  return "Running. What it finds appears here by itself.";
}
