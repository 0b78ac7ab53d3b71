import { type AutomationStep, type Caller, type ChatNews, hasEnded, maxSteps } from "@querybell/domain";
import type { Deps } from "../../deps.ts";
import { withinBytes } from "../../paging/live-page.ts";
import { watchRow } from "../../watching/watch-row.ts";
import { toAutomationRun } from "./automation-run-row.ts";
import { findAutomationRun } from "./find-automation-run.ts";
import { measureSteps, readSteps } from "./read-steps.ts";

/**
 * Of the steps in one message. Less than a page: for a client that does not read, a few messages are buffered before
 * the next one waits until the connection takes more.
 */
const maxNewsBytes = 256 * 1024;

/** The run and its steps so far, in as many messages as it takes, then whatever is new, until the run has ended. */
export async function* watchChat(
  deps: Deps,
  caller: Caller,
  { id, signal }: { id: string; signal: AbortSignal },
): AsyncGenerator<ChatNews> {
  let seen = 0;
  let shown = "";
  const watched = watchRow(deps, { channel: "querybell_automation_run_changed", id, signal }, () =>
    findAutomationRun(deps, caller, { id }),
  );
  for await (const row of watched) {
    const run = toAutomationRun(deps, row);
    const state = JSON.stringify(run);
    // The run was read first: every change of a step up to its revision is there to be read.
    for await (const steps of readChanged(deps, { runId: id, after: seen, upTo: row.revision })) {
      if (signal.aborted) return;
      yield { run, steps };
      shown = state;
    }
    if (state !== shown) yield { run, steps: [] };
    shown = state;
    seen = row.revision;
    if (hasEnded(run.status)) return;
  }
}

interface Changed {
  runId: string;
  after: number;
  upTo: number;
}

/** The steps that changed between two revisions, some at a time. What changes again meanwhile comes again. */
async function* readChanged(
  deps: Deps,
  { runId, ...changedIn }: Changed,
): AsyncGenerator<AutomationStep[], void> {
  // An agent writes so many, and the end of the run its summary.
  let left = await measureSteps(deps, { runId, after: undefined, take: maxSteps + 1, changedIn });
  while (left.length > 0) {
    const next = withinBytes(left, maxNewsBytes);
    left = left.slice(next.length);
    yield await readSteps(
      deps,
      next.map(({ id }) => id),
    );
  }
}
