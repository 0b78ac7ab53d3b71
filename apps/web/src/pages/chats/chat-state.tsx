import { Group } from "@mantine/core";
import { counted, formatNumber } from "../../components/counted.ts";
import { durationOf } from "../../components/duration.ts";
import { type AutomationRun, RunState } from "../../components/run-state.tsx";
import { Timestamp } from "../../components/timestamp.tsx";

/** How far the run is, since when, and how long it took. */
export function ChatState({ run }: { run: AutomationRun }) {
  const took = durationOf(run);
  return (
    <Group component="span" gap="xs" role="status">
      <RunState run={run} />
      <span>
        Started <Timestamp at={run.runAt} />
        {took && `, took ${took}`}
        {run.usage &&
          `, ${formatNumber(run.usage.inputTokens + run.usage.outputTokens)} tokens in ${counted(run.usage.modelCalls, "call")} of the model`}
      </span>
    </Group>
  );
}
