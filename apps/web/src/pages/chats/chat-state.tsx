import { Group } from "@mantine/core";
import { durationOf } from "../../format/duration.ts";
import { formatNumber, pluralize } from "../../format/pluralize.ts";
import { type AutomationRun, RunState } from "../../runs/run-state.tsx";
import { Timestamp } from "../../ui/timestamp.tsx";

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
