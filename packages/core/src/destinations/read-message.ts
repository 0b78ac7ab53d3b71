import { describeFact, ResultPreview, ToldFact } from "@querybell/domain";
import { type Message, type MessageTable, tableLimits } from "@querybell/webhooks";
import { z } from "zod";
import type { Deps } from "../deps.ts";
import { chatUrl } from "../organizations/permalinks.ts";

/** What a message needs of an event. */
const StoredEvent = z.object({
  type: z.string(),
  createdAt: z.coerce.date(),
  data: z.object({
    runId: z.string(),
    summary: z.string().optional(),
    reason: z.string().optional(),
    chatUrl: z.string().optional(),
    isAgain: z.boolean().optional(),
    facts: z.array(ToldFact).optional(),
  }),
});

interface RunRow {
  organizationId: string;
  organization: string;
  /** Null, like the rest, if the run is gone or the event is a test. */
  name: string | null;
  shortId: string | null;
  agent: string | null;
  failureCode: string | null;
}

interface EventToTell {
  eventId: string;
  isTest: boolean;
  body: Uint8Array;
}

/** The run that a message is about. */
export interface ToldRun {
  runId: string;
  organizationId: string;
}

/** Reads what a message about an event says: its run, as it was when it ended. */
export async function readMessage(
  deps: Pick<Deps, "db" | "deployment">,
  { eventId, isTest, body }: EventToTell,
): Promise<{ message: Message; run: ToldRun | null }> {
  const { type, createdAt, data } = StoredEvent.parse(JSON.parse(Buffer.from(body).toString()));
  const run = await findRun(deps, eventId, data.runId);
  const common = { organization: run.organization, at: createdAt, tables: [] };
  if (isTest) {
    const title = "A test from Querybell";
    const text = "Messages of automations that choose this destination arrive here.";
    return { message: { ...common, outcome: "test", title, text, notes: [], url: null }, run: null };
  }
  const url = run.shortId === null ? (data.chatUrl ?? null) : chatUrl(deps, { shortId: run.shortId });
  const title = run.name ?? "An automation";
  const told = { runId: data.runId, organizationId: run.organizationId };
  if (data.facts) {
    const outcome = type === "automation.condition.resolved" ? ("resolved" as const) : ("met" as const);
    const text = data.facts.map(describeFact).join("\n") || "There are no values to show.";
    const notes = data.isAgain ? ["it was told before, and still holds"] : [];
    const tables = await readTables(deps, told);
    return { message: { ...common, outcome, title, text, notes, url, tables }, run: told };
  }
  if (data.summary === undefined) {
    const text = run.failureCode === "stopped" ? "Somebody stopped the run before it was done." : data.reason;
    const message = {
      ...common,
      outcome: "failed" as const,
      title,
      text: text || "The run failed.",
      notes: [],
      url,
    };
    return { message, run: null };
  }
  const text = data.summary || "The run has no summary.";
  const notes =
    run.agent === "external" ? ["an external agent wrote this, and Querybell has not checked it"] : [];
  const tables = await readTables(deps, told);
  return { message: { ...common, outcome: "completed", title, text, notes, url, tables }, run: told };
}

async function findRun({ db }: Pick<Deps, "db">, eventId: string, runId: string): Promise<RunRow> {
  const { rows } = await db.pool.query<RunRow>({
    name: "find_run_of_event",
    text: `
      SELECT o.id AS "organizationId", o.name AS organization, r.brief->>'name' AS name, r.short_id AS "shortId", r.agent::text AS agent,
        r.failure_code AS "failureCode"
      FROM webhook_events v JOIN organizations o ON o.id = v.organization_id
      LEFT JOIN automation_runs r ON r.id = $2::uuid AND r.organization_id = v.organization_id
      WHERE v.id = $1::uuid`,
    values: [eventId, runId],
  });
  if (!rows[0]) throw new Error(`The event ${eventId} is gone.`);
  return rows[0];
}

/** The first values of each chart that a run looked at. Its steps keep them, also after a newer run has replaced the results. */
async function readTables(
  { db }: Pick<Deps, "db">,
  { runId, organizationId }: ToldRun,
): Promise<MessageTable[]> {
  const steps = await db.prisma.automationStep.findMany({
    where: { runId, organizationId, tool: "run_query", state: "completed" },
    select: { text: true, output: true },
    orderBy: { position: "asc" },
    take: tableLimits.tables,
  });
  return steps.flatMap(({ text, output }) => {
    const { data } = ResultPreview.safeParse(output);
    return data && data.rows.length > 0 ? [toTable(text, data)] : [];
  });
}

const toTable = (title: string, { fields, rows, rowCount }: ResultPreview): MessageTable => ({
  title,
  columns: fields.slice(0, tableLimits.columns).map(({ name }) => name),
  rows: rows
    .slice(0, tableLimits.rows)
    .map((row) => row.slice(0, tableLimits.columns).map((cell) => (cell === null ? "" : String(cell)))),
  rowCount,
  columnCount: fields.length,
});
