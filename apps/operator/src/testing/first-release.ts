import { gzipSync } from "node:zlib";
import type { Sealer } from "@querybell/sealing";
import { sealHeaders, sealSecret } from "@querybell/webhooks";
import pg from "pg";

const number = (kind: number, count: number): string =>
  `01900000-0000-7000-8${String(kind).padStart(3, "0")}-${String(count).padStart(12, "0")}`;

/** The rows by which the test finds what it filled in. */
export const firstRelease = {
  organizationId: number(1, 1),
  userId: number(2, 1),
  sessionId: number(3, 1),
  keyId: number(4, 1),
  queryId: number(6, 1),
  referenceId: number(7, 1),
  runIds: { completed: number(8, 1), failed: number(8, 2), pending: number(8, 3) },
  endpointId: number(9, 1),
  eventIds: { sent: number(10, 1), due: number(10, 2), held: number(10, 3) },
  automationId: number(14, 1),
  automationRunId: number(15, 1),
};

interface Place {
  sealer: Sealer;
  receiverUrl: string;
}

/** Each text is a transaction of its own. */
type Fill = (place: Place) => string[];

const { organizationId, userId, queryId, referenceId, runIds, endpointId, eventIds, automationId } =
  firstRelease;
const [databaseId, secretId, pumpId, recoveryId, stepId] = [5, 11, 12, 13, 16].map((kind) => number(kind, 1));
const disabledEndpointId = number(9, 2);
const result = `\\x${gzipSync('{"fields":[{"name":"n","type":"integer"}],"rows":[[1]]}').toString("hex")}`;
const { escapeLiteral: text } = pg;

/**
 * What the first release wrote into each of its tables, by the migration that made them. Written as it was then: it must
 * not change when the schema does, because databases of then have these rows.
 */
export const fillsOfFirstRelease: Record<string, Fill> = {
  "20261115000000_identity": () => [
    `
    INSERT INTO users VALUES ('${userId}', 'Ada', 'ada@example.test', true, NULL, now(), now());
    INSERT INTO sessions VALUES
      ('${firstRelease.sessionId}', '${userId}', 'token', now() + interval '7 days', '127.0.0.1', 'a browser', now(), now(), NULL);
    INSERT INTO accounts (id, user_id, account_id, provider_id, password, created_at, updated_at)
      VALUES ('${number(17, 1)}', '${userId}', '${userId}', 'credential', 'a hash', now(), now());
    INSERT INTO verifications VALUES ('${number(18, 1)}', 'reset', 'value', now() + interval '1 hour', now(), now());
    INSERT INTO organizations VALUES ('${organizationId}', 'Acme', 'acme', true, 'live', 86400, now() - interval '9 days');
    INSERT INTO members VALUES ('${organizationId}', '${userId}', 'owner', now());
    INSERT INTO invitations VALUES ('${number(19, 1)}', '${organizationId}', 'bob@example.test', 'member', '\\x01', '${userId}',
      now(), now() + interval '7 days', NULL, NULL);
    INSERT INTO api_keys VALUES ('${firstRelease.keyId}', '${organizationId}', '${userId}', 'A program', 'abcdefghijkl', '\\x02',
      '{queries:read,queries:run}', now(), NULL, NULL, NULL);
    INSERT INTO audit_entries VALUES ('${number(20, 1)}', '${organizationId}', now(), '${userId}', 'organization.created',
      '${organizationId}', '{}');
    INSERT INTO worker_heartbeats VALUES ('a worker of then', now() - interval '1 day');`,
  ],

  "20261115010000_queries": () => [
    `
    INSERT INTO analytical_database_configs VALUES ('${databaseId}', '${organizationId}', 'Shop', 'duckdb',
      '{"file": "shop.duckdb"}', NULL, '{}', now(), now(), NULL);
    INSERT INTO queries (id, organization_id, analytical_database_config_id, sql, created_by, created_at, updated_at)
      VALUES ('${queryId}', '${organizationId}', '${databaseId}', 'SELECT 0', '${userId}', now() - interval '8 days', now());
    `,
    `
    UPDATE queries SET sql = 'SELECT 1 AS n';
    INSERT INTO query_references (id, organization_id, short_id, query_id, title, visualization, created_by, created_at, updated_at)
      VALUES ('${referenceId}', '${organizationId}', 'abcdefgh23', '${queryId}', 'One', '{"type": "number"}', '${userId}', now(), now());
    INSERT INTO query_runs (id, organization_id, query_id, trigger_id, parameter_values, parameter_types,
        parameter_values_hash, rendered_sql, statement, created_at)
      SELECT id::uuid, '${organizationId}', '${queryId}', 'user:${userId}', '{}', '{}', hash::bytea, 'SELECT 1 AS n',
        '{"text": "SELECT 1 AS n", "values": []}', now() - interval '8 days' + age::interval
      FROM (VALUES ('${runIds.completed}', '\\x01', '1 s'), ('${runIds.failed}', '\\x02', '2 s'),
        ('${runIds.pending}', '\\x03', '3 s')) AS runs (id, hash, age);
    UPDATE query_runs SET status = 'running', started_at = created_at, lease_worker = 'w', lease_until = now(), lease_number = 1
      WHERE id IN ('${runIds.completed}', '${runIds.failed}');
    UPDATE query_runs SET status = 'completed', completed_at = created_at, rows_read = 1, rows_written = 1
      WHERE id = '${runIds.completed}';
    UPDATE query_runs SET status = 'failed', completed_at = created_at, failure_code = 'cancelled', failure_reason = 'Cancelled.'
      WHERE id = '${runIds.failed}';
    INSERT INTO query_results VALUES ('${runIds.completed}', '${organizationId}', '${queryId}', '\\x01', '${result}', 54, 1,
      NULL, 'an etag', now(), now() + interval '1 day');`,
  ],

  "20261115013234_webhooks": ({ sealer, receiverUrl }) => [
    `
    INSERT INTO webhook_pumps VALUES ('${pumpId}', now() - interval '1 day');
    INSERT INTO webhook_endpoints VALUES ('${endpointId}', '${organizationId}', ${text(receiverUrl)}, 'Ours',
      '{automation.run.completed,automation.run.failed}', ${text(sealHeaders(sealer, endpointId, { "x-team": "ours" }))},
      false, 8, NULL, 'enabled', NULL, NULL, 2, '${userId}', now(), now(), 0, '${pumpId}'),
      ('${disabledEndpointId}', '${organizationId}', 'https://example.test/', 'Theirs', '{automation.run.completed}',
      ${text(sealHeaders(sealer, disabledEndpointId, {}))}, false, 8, NULL, 'disabled', 'failures', now(), 5, '${userId}', now(), now(),
      0, NULL);
    INSERT INTO webhook_secrets VALUES ('${secretId}', '${endpointId}',
      ${text(sealSecret(sealer, endpointId, `whsec_${Buffer.alloc(32, 1).toString("base64")}`))},
      now() - interval '9 days', now() - interval '9 days', NULL);
    INSERT INTO webhook_events SELECT id::uuid, '${organizationId}', 'automation.run.completed',
        convert_to('{"type":"automation.run.completed"}', 'UTF8'), 'automation_run:' || id, now() - age::interval
      FROM (VALUES ('${eventIds.sent}', '40 days'), ('${eventIds.due}', '2 days'), ('${eventIds.held}', '1 day'))
        AS events (id, age);
    INSERT INTO webhook_recoveries (id, organization_id, endpoint_id, action, since, per_second, state, total, paced_until,
        created_by, created_at, ended_at)
      VALUES ('${recoveryId}', '${organizationId}', '${endpointId}', 'resend_failed', now(), 10, 'completed', 1, now(),
        '${userId}', now(), now());
    INSERT INTO webhook_deliveries (id, event_id, endpoint_id, kind, state, attempt_count, next_attempt_at, created_at,
        state_changed_at, recovery_id)
      SELECT replace(e.id::text, '-8010-', '-8021-')::uuid, e.id,
        CASE state WHEN 'held' THEN '${disabledEndpointId}'::uuid ELSE '${endpointId}'::uuid END, kind::webhook_delivery_kind,
        state::webhook_delivery_state, attempts, e.created_at, e.created_at, e.created_at, recovery::uuid
      FROM (VALUES ('${eventIds.sent}', 'recovery', 'succeeded', 1, '${recoveryId}'), ('${eventIds.due}', 'normal', 'pending', 1, NULL),
        ('${eventIds.held}', 'normal', 'held', 0, NULL)) AS d (id, kind, state, attempts, recovery)
      JOIN webhook_events e ON e.id = d.id::uuid;
    INSERT INTO webhook_attempts (delivery_id, number, outcome, sentence, status, started_at, ended_at, reused_connection,
        request_headers, secret_id, total_ms, response_headers, response_body, response_bytes, body_end)
      SELECT id, 1, CASE state WHEN 'succeeded' THEN 'success' ELSE 'http_status' END, 'It was answered.',
        CASE state WHEN 'succeeded' THEN 200 ELSE 500 END, created_at, created_at, false, '[]', '${secretId}', 12,
        '{"server": "theirs"}', '\\x6f6b', 2, 'complete'
      FROM webhook_deliveries WHERE attempt_count = 1;
    INSERT INTO notifications VALUES ('${number(22, 1)}', '${userId}', '${organizationId}', 'webhook_endpoint_disabled',
      '{"endpointId": "${endpointId}", "url": "https://example.test/", "failures": 5}', now(), NULL);`,
  ],

  "20261115020000_snapshot_pages": () => [
    "INSERT INTO transaction_origin SELECT system_identifier FROM pg_control_system() ON CONFLICT DO NOTHING;",
  ],

  "20261115035219_automations": () => [
    `
    INSERT INTO automations (id, organization_id, name, instruction, agent, schedule, enabled, when_busy,
        time_limit_seconds, created_by, created_at, updated_at)
      VALUES ('${automationId}', '${organizationId}', 'Watch', 'Say what has changed.', 'digest', NULL, true, 'queue', 600,
        '${userId}', now(), now());
    INSERT INTO automation_references VALUES ('${automationId}', 0, '${organizationId}', '${referenceId}', '{}');
    INSERT INTO automation_runs (id, organization_id, automation_id, short_id, agent, trigger_id, brief, created_at, ready_at)
      VALUES ('${firstRelease.automationRunId}', '${organizationId}', '${automationId}', 'hjkmnp2345', 'digest', 'user:${userId}',
        '{"name": "Watch", "instruction": "Say.", "references": [], "timeLimitSeconds": 600}', now() - interval '8 days', now());
    UPDATE automation_runs SET status = 'running', started_at = created_at, deadline_at = now(), lease_holder = 'w',
      lease_until = now(), lease_number = 1;
    INSERT INTO automation_steps (id, organization_id, run_id, name, position, revision, kind, state, text, tool, input, output,
        query_run_id, created_at, ended_at)
      VALUES ('${stepId}', '${organizationId}', '${firstRelease.automationRunId}', 'query:0', 0, 1, 'tool_call', 'completed', 'One',
        'run_query', '{}', '{}', '${runIds.completed}', now(), now());
    INSERT INTO automation_results VALUES ('${stepId}', '${organizationId}', '${firstRelease.automationRunId}', '${result}', false);
    UPDATE automation_runs SET status = 'completed', completed_at = created_at, summary = 'Nothing has changed.';`,
  ],
};
