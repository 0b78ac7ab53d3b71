import { listSteps, watchChat } from "@querybell/core";
import type { AutomationRun, Caller } from "@querybell/domain";
import { z } from "zod";
import { withWorkerTest } from "./worker-test.ts";

const Envelope = z.object({ type: z.string(), data: z.record(z.string(), z.unknown()) });

/** A test with a worker, and what it needs to see of the runs of automations. */
export const automationTest = withWorkerTest.extend("runs", { scope: "file" }, ({ deps }) => {
  /** The run once it is as wanted, or has ended. */
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

  /** What was told to the world about an organization's runs, oldest first. */
  const events = async ({ organizationId }: Pick<Caller, "organizationId">) => {
    const rows = await deps.db.prisma.webhookEvent.findMany({
      where: { organizationId },
      orderBy: { id: "asc" },
    });
    return rows.map(({ body }) => Envelope.parse(JSON.parse(Buffer.from(body).toString())));
  };

  return { until, end: (caller: Caller, id: string) => until(caller, id), steps, events };
});

export const isRunning = ({ status }: { status: string }): boolean => status === "running";
