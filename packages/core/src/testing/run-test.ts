import type { Caller, RunDetail } from "@querybell/domain";
import { startRunSlots } from "../run-slots.ts";
import { watchRun } from "../runs/get-run.ts";
import { dbTest } from "./db-test.ts";

/** A test that follows runs. Nothing executes them unless the test does. */
export const runTest = dbTest
  /** Makes queries on Postgres wait until the test opens it. */
  .extend("gate", async ({ deps }, { onCleanup }) => {
    const holder = await deps.db.pool.connect();
    onCleanup(() => holder.release(true));
    await holder.query("SELECT pg_advisory_lock(1)");
    return {
      passing: "pg_advisory_xact_lock_shared(1)::text",
      open: () => holder.query("SELECT pg_advisory_unlock(1)"),
    };
  })
  /** The run's states as a watcher sees them, until one matches or the run has ended. */
  .extend("watch", { scope: "file" }, ({ deps }) => {
    return async (caller: Caller, id: string, wanted: (run: RunDetail) => boolean = () => false) => {
      const states: RunDetail[] = [];
      const signal = new AbortController().signal;
      for await (const state of watchRun(deps, caller, { id, signal })) {
        states.push(state);
        if (wanted(state)) break;
      }
      return states;
    };
  })
  .extend("end", { scope: "file" }, ({ watch }) => {
    return async (caller: Caller, id: string): Promise<RunDetail> => {
      const last = (await watch(caller, id)).at(-1);
      if (!last) throw new Error("The run was never seen.");
      return last;
    };
  });

/** The same with slots that execute the runs of all tests of the file, as a worker's do. */
export const withRunSlotsTest = runTest.extend(
  "runSlots",
  { scope: "file", auto: true },
  ({ deps, onError }, { onCleanup }) => {
    const slots = startRunSlots({
      deps,
      queryRuns: { slots: 4, perOrganization: 20, total: null },
      automationRuns: { slots: 8, perOrganization: 20, total: null },
      pollEveryMs: 200,
      onError,
    });
    onCleanup(() => slots.stop());
    return slots;
  },
);
