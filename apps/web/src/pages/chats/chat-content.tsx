import { Button, Skeleton, Stack, Title, type TitleOrder } from "@mantine/core";
import { ErrorNotice } from "../../errors/error-notice.tsx";
import { isUnfinished } from "../../runs/run-state.tsx";
import { ChatOutcome } from "./chat-outcome.tsx";
import { StepItem } from "./step-item.tsx";
import { readCheckedSummary } from "./step-preview.ts";
import type { LiveChat } from "./use-live-chat.ts";

/** What came of a run, and its steps. */
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
