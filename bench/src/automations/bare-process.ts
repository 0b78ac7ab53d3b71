// The upper bound for triggers, claims and ends: a bare Fastify route for each, which writes the same rows to the same
// tables in one statement. Without locks, limits, checks of who asks, schemas, logs or notices.
import { randomUUID } from "node:crypto";
import fastify from "fastify";
import { bareComplete, openBarePool } from "./bare-complete.ts";

const pool = openBarePool();

type Batch<Input> = { Body: { 0: Input } };

const app = fastify();
const answer = (data: unknown) => [{ result: { data } }];
const shortId = () =>
  randomUUID()
    .replaceAll(/[-01ilo]/g, "")
    .padEnd(10, "z")
    .slice(0, 10);

app.post<Batch<{ id: string }>>("/api/trpc/automations.trigger", async ({ body }) => {
  const { rows } = await pool.query({
    name: "trigger",
    text: `
      WITH run AS (
        INSERT INTO automation_runs (id, organization_id, automation_id, short_id, agent, trigger_id, brief, created_at, ready_at, revision)
        SELECT uuidv7(), organization_id, id, $2, agent, 'bench',
          jsonb_build_object('name', name, 'instruction', instruction, 'timeLimitSeconds', time_limit_seconds, 'references', (SELECT jsonb_agg(parameter_values) FROM automation_references WHERE automation_id = a.id)),
          now(), CASE WHEN NOT EXISTS (SELECT FROM automation_runs r WHERE r.automation_id = a.id AND r.status IN ('pending', 'running')) THEN now() END, 1
        FROM automations a WHERE id = $1 RETURNING *
      ), step AS (
        INSERT INTO automation_steps (id, organization_id, run_id, name, position, revision, kind, state, text, created_at, ended_at)
        SELECT uuidv7(), organization_id, id, 'instruction', 1, 1, 'message', 'completed', brief->>'instruction', now(), now() FROM run
      )
      SELECT * FROM run`,
    values: [body[0].id, shortId()],
  });
  return answer(rows[0]);
});

app.post("/api/trpc/externalAgents.claim", async () => {
  const { rows } = await pool.query({
    name: "claim",
    text: `
      UPDATE automation_runs SET status = 'running', started_at = now(), deadline_at = now() + interval '10 minutes',
        lease_holder = 'bench', lease_until = now() + interval '1 minute', lease_number = lease_number + 1
      WHERE id = (
        SELECT id FROM automation_runs WHERE status = 'pending' AND ready_at IS NOT NULL AND agent = 'external'
        ORDER BY organization_id, ready_at, id LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED)
      RETURNING *`,
  });
  const [run] = rows;
  return answer(
    run
      ? { run: { ...run, automationId: run.automation_id }, claimNumber: run.lease_number, brief: run.brief }
      : null,
  );
});

app.post<Batch<{ runId: string; summary: string }>>("/api/trpc/externalAgents.complete", async ({ body }) => {
  const { runId, summary } = body[0];
  const { rows } = await pool.query(bareComplete(runId, summary));
  return answer(rows[0]);
});

process.on("disconnect", () => process.exit());
process.on("message", async () => process.send?.(await app.listen({ host: "127.0.0.1", port: 0 })));
process.send?.("ready");
