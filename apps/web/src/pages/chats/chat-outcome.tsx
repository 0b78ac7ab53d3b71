import { Alert, Group, Loader, Paper, Text, Title } from "@mantine/core";
import { IconAlertTriangle, IconPlayerStop } from "@tabler/icons-react";
import { type AutomationRun, failureText } from "../../components/run-state.tsx";
import classes from "./chat-outcome.module.css";

/** What came of the run: its summary, why it failed, or that it goes on. */
export function ChatOutcome({ run: { summary, failure, status, isQueued } }: { run: AutomationRun }) {
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
        <Title order={2} size="h5" id="summary" mb="xs">
          Summary
        </Title>
        <Text size="lg" className={classes.text}>
          {summary}
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

function waitingText(status: AutomationRun["status"], isQueued: boolean): string {
  if (isQueued) return "Waiting for the run before it.";
  if (status === "pending") return "Waiting for an agent.";
  return "Running. What it finds appears here by itself.";
}
