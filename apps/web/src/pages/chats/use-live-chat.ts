import type { Outputs } from "@querybell/client";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { trpc } from "../../api.ts";
import type { AutomationRun } from "../../runs/run-state.tsx";
import { useLiveSubscription } from "../../runs/use-live-subscription.ts";

export type Step = Outputs["automationRuns"]["steps"]["items"][number];

/** A run and its steps, live until it has ended. */
export function useLiveChat(found: AutomationRun) {
  const [run, setRun] = useState(found);
  const [steps, setSteps] = useState<ReadonlyMap<string, Step>>(new Map());
  const watched = useLiveSubscription(
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
  return { run, steps, stop, watchError: watched.shownError };
}

export type LiveChat = ReturnType<typeof useLiveChat>;
