import { type Caller, hasEnded, type RunDetail, type RunId } from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { watchRow } from "../watching/watch-row.ts";
import { getRun } from "./get-run.ts";

/** Yields the run now and after every change, until it has ended. */
export async function* watchRun(
  deps: Deps,
  caller: Pick<Caller, "organizationId">,
  { id, signal }: RunId & { signal: AbortSignal },
): AsyncGenerator<RunDetail> {
  let lastSent = "";
  const watched = watchRow(deps, { channel: "querybell_run_changed", id, signal }, () =>
    getRun(deps, caller, { id }),
  );
  for await (const run of watched) {
    const text = JSON.stringify(run);
    if (text !== lastSent) yield run;
    lastSent = text;
    if (hasEnded(run.status)) return;
  }
}
