import {
  Alert,
  Button,
  Group,
  Loader,
  Paper,
  Skeleton,
  Stack,
  Text,
  Title,
  type TitleOrder,
} from "@mantine/core";
import type { CheckedSummary } from "@querybell/domain";
import { IconAlertTriangle, IconPlayerStop } from "@tabler/icons-react";
import { Fragment } from "react";
import { ErrorNotice } from "../../errors/error-notice.tsx";
import { formatNumber, pluralize } from "../../format/pluralize.ts";
import { durationOf } from "../../format/times.ts";
import {
  type AutomationRun,
  failureText,
  isUnfinished,
  RunState,
  UncheckedTag,
} from "../../runs/run-state.tsx";
import { Timestamp } from "../../ui/timestamp.tsx";
import classes from "./chat-content.module.css";
import { CheckedText } from "./checked-text.tsx";
import { readCheckedSummary, StepItem } from "./step-item.tsx";
import type { LiveChat } from "./use-live-chat.ts";

/** The outcome of a run, and its steps. */
export function ChatContent({ chat, order = 2 }: { chat: LiveChat; order?: TitleOrder }) {
  const { run, steps, stop, watchError } = chat;
  // The summary is at the top, because most readers want only that.
  const shown = [...steps.values()]
    .filter(({ name, kind, text }) => name !== "summary" && !(kind === "message" && text === ""))
    .toSorted((one, other) => one.position - other.position);
  const checked = [...steps.values()].findLast(({ tool }) => tool === "write_summary");
  return (
    <>
      {(watchError ?? stop.error) && <ErrorNotice error={watchError ?? stop.error} />}
      <ChatOutcome run={run} checked={readCheckedSummary(checked?.output)} />
      <section aria-labelledby="steps">
        <Title order={order} size="h5" id="steps" mb="sm">
          {isUnfinished(run) ? "What it does" : "What it did"}
        </Title>
        {steps.size === 0 && !watchError && <LoadingSteps />}
        <Stack component="ol" p={0} m={0} gap="sm" aria-label="Steps">
          {shown.map((step) => (
            <StepItem key={step.name} step={step} />
          ))}
        </Stack>
      </section>
    </>
  );
}

/** As tall as the first step, the instruction. The steps arrive after the page. */
const LoadingSteps = () => <Skeleton height={72} aria-busy="true" />;

/** Nothing once the run has ended. */
export function StopButton({ chat: { run, stop } }: { chat: LiveChat }) {
  if (!isUnfinished(run)) return null;
  return (
    <Button
      variant="default"
      onClick={() => !stop.isPending && stop.mutate({ id: run.id })}
      aria-disabled={stop.isPending}
    >
      {stop.isPending ? "Stopping…" : "Stop"}
    </Button>
  );
}

interface ChatOutcomeProps {
  run: AutomationRun;
  /** The summary as it was checked, of a run of the agent `model`. */
  checked: CheckedSummary | undefined;
}

/** The outcome of the run: its summary, its failure, or that it is still running. */
function ChatOutcome({ run, checked }: ChatOutcomeProps) {
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

/** The run's state, start time and duration. */
export function ChatState({ run }: { run: AutomationRun }) {
  const took = durationOf(run);
  return (
    <Group component="span" gap="xs" role="status">
      <RunState run={run} />
      <span>
        {run.isTrial && "A trial, of which nobody is told. "}
        Started <Timestamp at={run.runAt} />
        {took && `, took ${took}`}
        {run.usage &&
          `, ${formatNumber(run.usage.inputTokens + run.usage.outputTokens)} tokens in ${pluralize(run.usage.modelCalls, "call")} of the model`}
      </span>
    </Group>
  );
}
