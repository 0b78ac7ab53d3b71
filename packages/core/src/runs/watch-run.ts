import { setTimeout as wait } from "node:timers/promises";
import { type Caller, hasEnded, type RunDetail, type RunId } from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { getRun } from "./get-run.ts";

// A notice can get lost with its connection.
const lookAgainAfterMs = 5000;

/** The run now, and again whenever it has changed, until it has ended. */
export async function* watchRun(
  deps: Deps,
  caller: Caller,
  { id, signal }: RunId & { signal: AbortSignal },
): AsyncGenerator<RunDetail> {
  let changed = Promise.withResolvers<void>();
  const unsubscribe = deps.db.notices.subscribe("querybell_run_changed", (changedId) => {
    if (changedId === undefined || changedId === id) changed.resolve();
  });
  try {
    let shown = "";
    while (!signal.aborted) {
      // Before the row is read: what changes after that is not missed.
      changed = Promise.withResolvers();
      const run = await getRun(deps, caller, { id });
      const text = JSON.stringify(run);
      if (text !== shown) yield run;
      shown = text;
      if (hasEnded(run.status)) return;
      await firstOf(changed.promise, signal);
    }
  } finally {
    unsubscribe();
  }
}

async function firstOf(changed: Promise<void>, signal: AbortSignal): Promise<void> {
  const done = new AbortController();
  const either = AbortSignal.any([done.signal, signal]);
  const later = wait(lookAgainAfterMs, undefined, { signal: either }).catch(() => {});
  await Promise.race([changed, later]);
  done.abort();
}
