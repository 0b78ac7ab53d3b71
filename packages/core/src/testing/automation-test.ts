import type { AutomationRun, Caller } from "@querybell/domain";
import { z } from "zod";
import { listSteps, watchChat } from "../automations/index.ts";
import { watchRun } from "../runs/index.ts";
import { withRunSlotsTest } from "./run-test.ts";

const Envelope = z.object({ type: z.string(), data: z.record(z.string(), z.unknown()) });

/** A test with run slots, and functions to observe automation runs. */
export const automationTest = withRunSlotsTest.extend("runs", { scope: "file" }, ({ deps }) => {
  /** Resolves with the run once it matches, or has ended. */
  const until = async (caller: Caller, id: string, wanted: (run: AutomationRun) => boolean = () => false) => {
    const signal = new AbortController().signal;
    let last: AutomationRun | undefined;
    for await (const { run } of watchChat(deps, caller, { id, signal })) {
      last = run;
      if (wanted(run)) break;
    }
    if (!last) throw new Error("The run was never seen.");
    return last;
  };

  const steps = async (caller: Caller, runId: string) =>
    (await listSteps(deps, caller, { runId, limit: 100 })).items;

  /** The webhook events of an organization's runs, oldest first. */
  const events = async ({ organizationId }: Pick<Caller, "organizationId">) => {
    const rows = await deps.db.prisma.webhookEvent.findMany({
      where: { organizationId },
      orderBy: { id: "asc" },
    });
    return rows.map(({ body }) => Envelope.parse(JSON.parse(Buffer.from(body).toString())));
  };

  /** The id of the query run that the automation run's agent waits for, once there is one other than `not`. */
  const queryRunOf = async (caller: Caller, id: string, not?: string): Promise<string> => {
    const signal = new AbortController().signal;
    for await (const { steps: news } of watchChat(deps, caller, { id, signal })) {
      const found = news.find(({ queryRunId }) => queryRunId !== null && queryRunId !== not)?.queryRunId;
      if (found) return found;
    }
    throw new Error("The run has ended without such a query.");
  };

  /** Resolves when no run of the query is unfinished, so that no host is busy with it in the next test. */
  const settled = async (caller: Caller, queryId: string): Promise<void> => {
    const unfinished = await deps.db.prisma.queryRun.findMany({ where: { queryId, completedAt: null } });
    const signal = new AbortController().signal;
    for (const { id } of unfinished) for await (const _ of watchRun(deps, caller, { id, signal }));
  };

  return {
    until,
    queryRunOf,
    settled,
    end: (caller: Caller, id: string) => until(caller, id),
    steps,
    events,
  };
});

export const isRunning = ({ status }: { status: string }): boolean => status === "running";
