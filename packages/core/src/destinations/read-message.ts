import type { Message } from "@querybell/webhooks";
import { z } from "zod";
import type { Deps } from "../deps.ts";
import { chatUrl } from "../organizations/permalinks.ts";

/** What a message needs of an event. */
const StoredEvent = z.object({
  createdAt: z.coerce.date(),
  data: z.object({
    runId: z.string(),
    summary: z.string().optional(),
    reason: z.string().optional(),
    chatUrl: z.string().optional(),
  }),
});

interface RunRow {
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

/** Reads what a message about an event says: its run, as it was when it ended. */
export async function readMessage(
  deps: Pick<Deps, "db" | "deployment">,
  { eventId, isTest, body }: EventToTell,
): Promise<Message> {
  const { createdAt, data } = StoredEvent.parse(JSON.parse(Buffer.from(body).toString()));
  const run = await findRun(deps, eventId, data.runId);
  const common = { organization: run.organization, at: createdAt };
  if (isTest) {
    return {
      ...common,
      outcome: "test",
      title: "A test from Querybell",
      text: "Messages of automations that choose this destination arrive here.",
      notes: [],
      url: null,
    };
  }
  const url = run.shortId === null ? (data.chatUrl ?? null) : chatUrl(deps, { shortId: run.shortId });
  const title = run.name ?? "An automation";
  if (data.summary !== undefined) {
    const notes =
      run.agent === "external" ? ["an external agent wrote this, and Querybell has not checked it"] : [];
    return { ...common, outcome: "completed", title, text: data.summary, notes, url };
  }
  const text = run.failureCode === "stopped" ? "Somebody stopped the run before it was done." : data.reason;
  return { ...common, outcome: "failed", title, text: text ?? "The run failed.", notes: [], url };
}

async function findRun({ db }: Pick<Deps, "db">, eventId: string, runId: string): Promise<RunRow> {
  const { rows } = await db.pool.query<RunRow>({
    name: "find_run_of_event",
    text: `
      SELECT o.name AS organization, r.brief->>'name' AS name, r.short_id AS "shortId", r.agent::text AS agent,
        r.failure_code AS "failureCode"
      FROM webhook_events v JOIN organizations o ON o.id = v.organization_id
      LEFT JOIN automation_runs r ON r.id = $2::uuid AND r.organization_id = v.organization_id
      WHERE v.id = $1::uuid`,
    values: [eventId, runId],
  });
  if (!rows[0]) throw new Error(`The event ${eventId} is gone.`);
  return rows[0];
}
