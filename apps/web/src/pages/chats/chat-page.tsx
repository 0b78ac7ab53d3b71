import { Button, Skeleton, Stack, Text, Title } from "@mantine/core";
import type { Outputs } from "@querybell/client";
import { useMutation, useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useSubscription } from "@trpc/tanstack-react-query";
import { useState } from "react";
import { trpc } from "../../api.ts";
import { LoadingFrame } from "../../app/frames.tsx";
import { ErrorNotice } from "../../components/error-notice.tsx";
import { toFailure } from "../../components/failure.ts";
import { AnchorTo } from "../../components/links.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { PermalinkNotFound } from "../../components/permalink-not-found.tsx";
import { type AutomationRun, isUnfinished } from "../../components/run-state.tsx";
import { ChatOutcome } from "./chat-outcome.tsx";
import { ChatState } from "./chat-state.tsx";
import { ShownRowsProvider } from "./shown-rows.tsx";
import { StepItem } from "./step-item.tsx";
import { readCheckedSummary } from "./step-preview.ts";

type Step = Outputs["automationRuns"]["steps"]["items"][number];

const route = getRouteApi("/app/chats/$shortId");

/** The chat of an automation run, by its permalink. Updates live until the run has ended. */
export function ChatPage() {
  const { shortId } = route.useParams();
  const { data, error, refetch } = useQuery(trpc.automationRuns.findChat.queryOptions({ shortId }));
  if (error && toFailure(error).code === "not_found") {
    return (
      <PermalinkNotFound named={{ kind: "chat", shortId }}>{toFailure(error).message}</PermalinkNotFound>
    );
  }
  if (error && !data) return <ErrorNotice error={error} onRetry={refetch} />;
  return data ? <Chat key={data.id} found={data} /> : <LoadingFrame />;
}

/** As tall as the first step, the instruction. The steps arrive after the page. */
const LoadingSteps = () => <Skeleton height={72} aria-busy="true" />;

function Chat({ found }: { found: AutomationRun }) {
  const [run, setRun] = useState(found);
  const [steps, setSteps] = useState<ReadonlyMap<string, Step>>(new Map());
  const watched = useSubscription(
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
  const stop = useMutation(trpc.automationRuns.stop.mutationOptions());
  // The summary is at the top, because most readers want only that.
  const shown = [...steps.values()]
    .filter(({ name, kind, text }) => name !== "summary" && !(kind === "message" && text === ""))
    .toSorted((one, other) => one.position - other.position);
  const checked = [...steps.values()].findLast(({ tool }) => tool === "write_summary");
  return (
    <ShownRowsProvider>
      <Stack maw="52rem" gap="lg">
        <PageHeader title={run.automationName} description={<ChatState run={run} />}>
          {isUnfinished(run) && (
            <Button
              variant="default"
              onClick={() => !stop.isPending && stop.mutate({ id: run.id })}
              aria-disabled={stop.isPending}
            >
              {stop.isPending ? "Stopping…" : "Stop"}
            </Button>
          )}
        </PageHeader>
        {(watched.error ?? stop.error) && <ErrorNotice error={watched.error ?? stop.error} />}
        <ChatOutcome run={run} checked={readCheckedSummary(checked?.output)} />
        <section aria-labelledby="steps">
          <Title order={2} size="h5" id="steps" mb="sm">
            {isUnfinished(run) ? "What it does" : "What it did"}
          </Title>
          {steps.size === 0 && !watched.error && <LoadingSteps />}
          <Stack component="ol" p={0} m={0} gap="sm" aria-label="Steps">
            {shown.map((step) => (
              <StepItem key={step.name} step={step} />
            ))}
          </Stack>
        </section>
        <Text size="sm">
          <AnchorTo to="/automations/$automationId" params={{ automationId: run.automationId }}>
            All runs of this automation
          </AnchorTo>
        </Text>
      </Stack>
    </ShownRowsProvider>
  );
}
