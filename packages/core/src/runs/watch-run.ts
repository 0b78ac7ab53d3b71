import { type Caller, hasEnded, type RunDetail, type RunId } from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { watchRow } from "../watching/watch-row.ts";
import { getRun } from "./get-run.ts";

/** The run now, and again whenever it has changed, until it has ended. */
export async function* watchRun(
  deps: Deps,
  caller: Pick<Caller, "organizationId">,
  { id, signal }: RunId & { signal: AbortSignal },
): AsyncGenerator<RunDetail> {
  let shown = "";
  const watched = watchRow(deps, { channel: "querybell_run_changed", id, signal }, () =>
    getRun(deps, caller, { id }),
  );
  for await (const run of watched) {
    const text = JSON.stringify(run);
    if (text !== shown) yield run;
    shown = text;
    if (hasEnded(run.status)) return;
  }
}
