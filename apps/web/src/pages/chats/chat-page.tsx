import { Paper, Stack, Text, Title } from "@mantine/core";
import type { Outputs } from "@querybell/client";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useSubscription } from "@trpc/tanstack-react-query";
import { useState } from "react";
import { trpc } from "../../api.ts";
import { LoadingFrame } from "../../app/frames.tsx";
import { ErrorNotice } from "../../components/error-notice.tsx";
import { asFailure } from "../../components/failure.ts";
import { PageHeader } from "../../components/page-header.tsx";
import { PermalinkNotFound } from "../../components/permalink-not-found.tsx";
import { PreviewTable } from "./preview-table.tsx";

type Run = Outputs["automationRuns"]["get"];
type Step = Outputs["automationRuns"]["steps"]["items"][number];

const route = getRouteApi("/app/chats/$shortId");

/** The chat of an automation's run, which its permalink opens: live, until the run has ended. */
export function ChatPage() {
  const { shortId } = route.useParams();
  const { data, error, refetch } = useQuery(trpc.automationRuns.findChat.queryOptions({ shortId }));
  if (error && asFailure(error).code === "not_found") {
    return (
      <PermalinkNotFound named={{ kind: "chat", shortId }}>{asFailure(error).message}</PermalinkNotFound>
    );
  }
  if (error) return <ErrorNotice error={error} onRetry={refetch} />;
  return data ? <Chat found={data} /> : <LoadingFrame />;
}

function Chat({ found }: { found: Run }) {
  const [run, setRun] = useState(found);
  const [steps, setSteps] = useState<ReadonlyMap<string, Step>>(new Map());
  const { error } = useSubscription(
    trpc.automationRuns.watch.subscriptionOptions(
      { id: found.id },
      {
        onData(news) {
          setRun(news.run);
          setSteps((before) => new Map([...before, ...news.steps.map((step) => [step.name, step] as const)]));
        },
      },
    ),
  );
  return (
    <>
      <PageHeader title={run.automationName} description={<span role="status">{stateOf(run)}</span>} />
      {error && <ErrorNotice error={error} />}
      <Stack component="ol" p={0} m={0}>
        {[...steps.values()].map((step) => (
          <StepItem key={step.name} step={step} />
        ))}
      </Stack>
    </>
  );
}

function stateOf({ status, isQueued, failure, runAt, completedAt }: Run): string {
  const began = `Triggered ${new Date(runAt).toLocaleString()}.`;
  if (failure) return `${began} Failed: ${failure.reason}`;
  if (status === "completed" && completedAt) {
    return `${began} Completed ${new Date(completedAt).toLocaleString()}.`;
  }
  if (status === "running") return `${began} Running…`;
  return isQueued ? `${began} Waiting for the run before it.` : `${began} Waiting for an agent.`;
}

const speakers: Record<string, string> = { instruction: "Instruction", summary: "Summary" };

const StepItem = ({ step }: { step: Step }) => (
  <Paper component="li" withBorder p="md" display="block">
    <Title order={2} size="h6">
      {step.tool ?? speakers[step.name] ?? "Agent"}
    </Title>
    {step.text !== "" && <Text>{step.text}</Text>}
    <PreviewTable output={step.output} />
    {step.state === "running" && <Text c="dimmed">…</Text>}
  </Paper>
);
