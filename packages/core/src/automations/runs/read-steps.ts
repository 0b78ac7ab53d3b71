import {
  type AutomationStep,
  type Caller,
  type ChatUpdate,
  hasEnded,
  type ListSteps,
  maxSteps,
  type Page,
} from "@querybell/domain";
import type { Deps } from "../../deps.ts";
import { type Measured, readByteLimitedPage, withinBytes } from "../../paging/live-page.ts";
import { watchRow } from "../../watch-row.ts";
import { getAutomationRunRow, toAutomationRun } from "./get-automation-run.ts";
import { toStep } from "./write-step.ts";

/** Lists the steps of a run, oldest first. */
export async function listSteps(
  deps: Deps,
  caller: Caller,
  { runId, ...page }: ListSteps,
): Promise<Page<AutomationStep>> {
  const { organizationId } = await getAutomationRunRow(deps, caller, { id: runId });
  return readStepPage(deps, { runId, organizationId, ...page });
}

interface StepPage extends ListSteps {
  organizationId: string;
}

/** The first page of a transcript, with as many steps as the byte limit allows. */
export const firstSteps = (
  deps: Deps,
  run: Pick<StepPage, "runId" | "organizationId">,
): Promise<Page<AutomationStep>> => readStepPage(deps, { ...run, limit: maxSteps });

const readStepPage = (
  deps: Deps,
  { runId, organizationId, limit, cursor }: StepPage,
): Promise<Page<AutomationStep>> =>
  readByteLimitedPage(
    deps,
    { list: "automation_steps", organizationId, filter: `runId=${runId}`, limit, cursor },
    {
      measure: ({ after, take }) => measureSteps(deps, { runId, after, take }),
      read: (ids) => readSteps(deps, ids),
    },
  );

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

interface StepRange {
  runId: string;
  /** The last step before the range. Undefined for a range that starts at the first step. */
  after: { id: string } | undefined;
  take: number;
  /** Only steps whose revision is greater than `after` and at most `upTo`. */
  changedIn?: { after: number; upTo: number };
}

/** Lists the steps of a range with their sizes, oldest first. Without content: a transcript can have 50 MB. */
async function measureSteps(
  { db }: Pick<Deps, "db">,
  { runId, after, take, changedIn }: StepRange,
): Promise<Measured[]> {
  const { rows } = await db.pool.query<Measured>({
    name: "measure_automation_steps",
    text: `
      SELECT id, created_at AS "createdAt", octet_length(text) + coalesce(octet_length(input::text), 0)
        + coalesce(octet_length(output::text), 0) AS bytes
      FROM automation_steps
      WHERE run_id = $1 AND position > coalesce((SELECT position FROM automation_steps WHERE id = $2), 0)
        AND revision > coalesce($4, 0) AND ($5::int IS NULL OR revision <= $5)
      ORDER BY position LIMIT $3`,
    values: [runId, after?.id ?? null, take, changedIn?.after ?? null, changedIn?.upTo ?? null],
  });
  return rows;
}

async function readSteps({ db }: Pick<Deps, "db">, ids: string[]): Promise<AutomationStep[]> {
  const rows = await db.prisma.automationStep.findMany({
    where: { id: { in: ids } },
    orderBy: { position: "asc" },
  });
  return rows.map(toStep);
}
