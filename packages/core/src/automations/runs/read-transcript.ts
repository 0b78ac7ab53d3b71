import {
  type AutomationStep,
  type Caller,
  type ChatNews,
  hasEnded,
  type ListSteps,
  type Page,
} from "@querybell/domain";
import type { Deps } from "../../deps.ts";
import { readLivePage } from "../../paging/live-page.ts";
import { watchRow } from "../../watching/watch-row.ts";
import { toAutomationRun } from "./automation-run-row.ts";
import { findAutomationRun } from "./find-automation-run.ts";
import { toStep } from "./step-row.ts";

/** A chat from its beginning. */
export async function listSteps(
  deps: Deps,
  caller: Caller,
  { runId, limit, cursor }: ListSteps,
): Promise<Page<AutomationStep>> {
  const { organizationId } = await findAutomationRun(deps, caller, { id: runId });
  const { prisma } = deps.db;
  const { items, ...rest } = await readLivePage(
    deps,
    { list: "automation_steps", organizationId, filter: `runId=${runId}`, limit, cursor },
    async ({ after, take }) => {
      const last = after && (await prisma.automationStep.findUnique({ where: { id: after.id } }));
      const where = { runId, position: { gt: last?.position ?? 0 } };
      return prisma.automationStep.findMany({ where, orderBy: { position: "asc" }, take });
    },
  );
  return { items: items.map(toStep), ...rest };
}

/** The run and its steps so far, then whatever is new, until the run has ended. */
export async function* watchChat(
  deps: Deps,
  caller: Caller,
  { id, signal }: { id: string; signal: AbortSignal },
): AsyncGenerator<ChatNews> {
  let seen = 0;
  let shown = "";
  const watched = watchRow(deps, { channel: "querybell_automation_run_changed", id, signal }, () =>
    readNews(deps, caller, { id, seen }),
  );
  for await (const { revision, ...news } of watched) {
    seen = revision;
    const state = JSON.stringify(news.run);
    if (state !== shown || news.steps.length > 0) yield news;
    shown = state;
    if (hasEnded(news.run.status)) return;
  }
}

async function readNews(deps: Deps, caller: Caller, { id, seen }: { id: string; seen: number }) {
  const row = await findAutomationRun(deps, caller, { id });
  // The run first: every change of a step up to its revision is there to be read.
  const steps = await deps.db.prisma.automationStep.findMany({
    where: { runId: id, revision: { gt: seen, lte: row.revision } },
    orderBy: { position: "asc" },
  });
  return { revision: row.revision, run: toAutomationRun(deps, row), steps: steps.map(toStep) };
}
