import { type AutomationStep, type Caller, type ChatUpdate, hasEnded, maxSteps } from "@querybell/domain";
import type { Deps } from "../../deps.ts";
import { withinBytes } from "../../paging/live-page.ts";
import { watchRow } from "../../watch-row.ts";
import { toAutomationRun } from "./automation-run-row.ts";
import { getAutomationRunRow } from "./get-automation-run.ts";
import { measureSteps, readSteps } from "./read-steps.ts";

/**
 * The maximum size of the steps in one message. Smaller than a page, because the server buffers a few messages for a
 * client that does not read before backpressure stops it.
 */
const maxUpdateBytes = 256 * 1024;

/** Yields the run and its steps so far, split into messages, then every change until the run has ended. */
export async function* watchChat(
  deps: Deps,
  caller: Caller,
  { id, signal }: { id: string; signal: AbortSignal },
): AsyncGenerator<ChatUpdate> {
  let seenRevision = 0;
  let sentState = "";
  const watched = watchRow(deps, { channel: "querybell_automation_run_changed", id, signal }, () =>
    getAutomationRunRow(deps, caller, { id }),
  );
  for await (const row of watched) {
    const run = toAutomationRun(deps, row);
    const state = JSON.stringify(run);
    // The run was read first, so every change of a step up to its revision is committed and can be read.
    for await (const steps of readChanged(deps, { runId: id, after: seenRevision, upTo: row.revision })) {
      if (signal.aborted) return;
      yield { run, steps };
      sentState = state;
    }
    if (state !== sentState) yield { run, steps: [] };
    sentState = state;
    seenRevision = row.revision;
    if (hasEnded(run.status)) return;
  }
}

interface Changed {
  runId: string;
  after: number;
  upTo: number;
}

/** Yields the steps that changed between two revisions, in batches. A step that changes again is yielded again later. */
async function* readChanged(
  deps: Deps,
  { runId, ...changedIn }: Changed,
): AsyncGenerator<AutomationStep[], void> {
  // `maxSteps` of the agent, and the summary.
  let left = await measureSteps(deps, { runId, after: undefined, take: maxSteps + 1, changedIn });
  while (left.length > 0) {
    const next = withinBytes(left, maxUpdateBytes);
    left = left.slice(next.length);
    yield await readSteps(
      deps,
      next.map(({ id }) => id),
    );
  }
}
