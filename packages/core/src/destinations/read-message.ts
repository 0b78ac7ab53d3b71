import {
  cutText,
  describeFact,
  RecipientMessage,
  ResultPreview,
  recipientEventType,
  ToldFact,
} from "@querybell/domain";
import { type Message, type MessageTable, tableLimits } from "@querybell/webhooks";
import { z } from "zod";
import type { Deps } from "../deps.ts";
import { chatUrl } from "../organizations/permalinks.ts";

const Envelope = z.object({ type: z.string(), createdAt: z.coerce.date(), data: z.unknown() });

/** What a message needs of an event. */
const StoredData = z.object({
  runId: z.string(),
  summary: z.string().optional(),
  reason: z.string().optional(),
  chatUrl: z.string().optional(),
  isAgain: z.boolean().optional(),
  facts: z.array(ToldFact).optional(),
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

interface ReadMessage {
  message: Message;
  /** The run whose pictures and files belong to the message; null if there are none. */
  run: ToldRun | null;
  /** The rows of one recipient, if the message has only these. */
  ofRecipient: RecipientMessage | null;
}

const addedByAdmin =
  "An admin of Querybell has added this address as a destination. To stop these mails, ask them.";

/** Reads what a message about an event says: its run, as it was when it ended. */
export async function readMessage(
  deps: Pick<Deps, "db" | "deployment">,
  event: EventToTell,
): Promise<ReadMessage> {
  const { eventId, body } = event;
  const { type, createdAt, data } = Envelope.parse(JSON.parse(Buffer.from(body).toString()));
  if (type === recipientEventType) {
    const ofRecipient = RecipientMessage.parse(data);
    const run = await findRun(deps, eventId, ofRecipient.runId);
    return { message: toRecipientMessage(deps, { run, ofRecipient, at: createdAt }), run: null, ofRecipient };
  }
  const { message, run } = await readRunMessage(deps, event, {
    type,
    createdAt,
    data: StoredData.parse(data),
  });
  return { message, run, ofRecipient: null };
}

interface RunEvent extends Omit<z.infer<typeof Envelope>, "data"> {
  data: z.infer<typeof StoredData>;
}

async function readRunMessage(
  deps: Pick<Deps, "db" | "deployment">,
  { eventId, isTest }: EventToTell,
  { type, createdAt, data }: RunEvent,
): Promise<Pick<ReadMessage, "message" | "run">> {
  const run = await findRun(deps, eventId, data.runId);
  const { organization } = run;
  const common = { organization, at: createdAt, tables: [], mailReason: addedByAdmin };
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

/** Gmail cuts a mail after 102 KB. */
const recipientLimits = { rows: 25, columns: 6, cellCharacters: 100 } as const;

/** A message with the rows of one recipient, and nothing about those of others: no summary, no picture. */
function toRecipientMessage(
  deps: Pick<Deps, "deployment">,
  { run, ofRecipient, at }: { run: RunRow; ofRecipient: RecipientMessage; at: Date },
): Message {
  const { recipient, address, isMember, chart, columns, rows, rowCount } = ofRecipient;
  const { name, shortId, organization } = run;
  const { cellCharacters, ...shown } = recipientLimits;
  const cellText = (cell: string | null) =>
    (cell ?? "").length > cellCharacters ? `${cutText(cell ?? "", cellCharacters)}…` : (cell ?? "");
  return {
    outcome: "completed",
    title: name ?? "An automation",
    text: `${rowCount === 1 ? "1 row" : `${rowCount} rows`} of “${chart}” for ${recipient}.`,
    notes: [],
    // Somebody outside of the organization cannot open it.
    url: shortId === null || (address !== null && !isMember) ? null : chatUrl(deps, { shortId }),
    organization,
    at,
    tables: [
      {
        title: chart,
        columns: columns.slice(0, shown.columns),
        rows: rows.slice(0, shown.rows).map((row) => row.slice(0, shown.columns).map(cellText)),
        rowCount,
        columnCount: columns.length,
      },
    ],
    mailReason:
      address === null
        ? addedByAdmin
        : `You get this mail because a row of “${chart}” names ${address}. To stop these mails, ask the admins of ${organization} in Querybell.`,
  };
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
