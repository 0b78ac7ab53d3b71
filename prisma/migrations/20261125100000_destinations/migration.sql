-- AlterEnum
-- This migration adds more than one value to an enum.
-- With PostgreSQL versions 11 and earlier, this is not possible
-- in a single migration. This can be worked around by creating
-- multiple migrations, each migration adding only one value to
-- the enum.


ALTER TYPE "webhook_endpoint_kind" ADD VALUE 'slack';
ALTER TYPE "webhook_endpoint_kind" ADD VALUE 'teams';
ALTER TYPE "webhook_endpoint_kind" ADD VALUE 'discord';
ALTER TYPE "webhook_endpoint_kind" ADD VALUE 'mail';

-- CreateTable
CREATE TABLE "automation_destinations" (
    "automation_id" UUID NOT NULL,
    "endpoint_id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "event_types" TEXT[],

    CONSTRAINT "automation_destinations_pkey" PRIMARY KEY ("automation_id","endpoint_id")
);

-- CreateIndex
CREATE INDEX "automation_destinations_endpoint_id_idx" ON "automation_destinations"("endpoint_id");

-- CreateIndex
CREATE INDEX "automation_destinations_organization_id_idx" ON "automation_destinations"("organization_id");

-- AddForeignKey
ALTER TABLE "automation_destinations" ADD CONSTRAINT "automation_destinations_automation_id_fkey" FOREIGN KEY ("automation_id") REFERENCES "automations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "automation_destinations" ADD CONSTRAINT "automation_destinations_endpoint_id_fkey" FOREIGN KEY ("endpoint_id") REFERENCES "webhook_endpoints"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "automation_destinations" ADD CONSTRAINT "automation_destinations_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "automation_destinations" ADD CONSTRAINT "automation_destinations_events" CHECK ("event_types" IS NOT NULL AND cardinality("event_types") > 0);

-- Inserts events, and a delivery of each for every subscribed endpoint. Each cause emits at most once. The caller wakes
-- the pumps: those that hold an endpoint, and for an endpoint that none holds, all of them.
--
-- The events of automations get the next positions in the organization's event stream, if it has one. The lock on its row
-- makes the order of positions that of the commits. A cause that has an event takes no position: every position has an
-- event, until it is purged. The second statement sees every subscription that was committed
-- before the lock was taken, so an event is either before the start of a subscription or delivered to it.
CREATE OR REPLACE FUNCTION emit_webhook_events(
  event_ids uuid[], organization_ids uuid[], event_types text[], bodies bytea[], causes text[], emitted_at timestamptz
) RETURNS TABLE (emitted text[], held_endpoints text[], free_endpoints text[]) LANGUAGE plpgsql AS $$
BEGIN
  UPDATE event_streams s SET position = s.position + added.events FROM (
    SELECT e.organization_id, count(*) AS events
    FROM unnest(organization_ids, event_types, causes) AS e(organization_id, type, cause)
    WHERE e.type <> 'audit.entry.created' AND NOT EXISTS (
      SELECT FROM webhook_events v WHERE v.organization_id = e.organization_id AND v.dedupe_key = e.cause)
    GROUP BY e.organization_id) added
  WHERE s.organization_id = added.organization_id;
  RETURN QUERY
    WITH numbered AS (
      SELECT e.*, CASE WHEN e.type <> 'audit.entry.created' THEN 1 + s.position - row_number() OVER (
          PARTITION BY e.organization_id, e.type = 'audit.entry.created' ORDER BY e.ordinality DESC) END AS position
      FROM unnest(event_ids, organization_ids, event_types, bodies, causes)
        WITH ORDINALITY AS e(id, organization_id, type, body, cause, ordinality)
      LEFT JOIN event_streams s ON s.organization_id = e.organization_id
      WHERE NOT EXISTS (
        SELECT FROM webhook_events v WHERE v.organization_id = e.organization_id AND v.dedupe_key = e.cause)
    ), event AS (
      INSERT INTO webhook_events AS v (id, organization_id, type, body, dedupe_key, created_at, position, automation_id)
      SELECT e.id, e.organization_id, e.type, e.body, e.cause, emitted_at, e.position,
        CASE WHEN e.type <> 'audit.entry.created' THEN
          (convert_from(e.body, 'UTF8')::json #>> '{data,automationId}')::uuid END
      FROM numbered e
      ON CONFLICT (organization_id, dedupe_key) DO NOTHING
      RETURNING v.id, v.organization_id, v.type, v.position, v.automation_id
    ), subscribed AS (
      SELECT event.id AS event_id, e.id, e.lease_owner IS NOT NULL AS is_held,
        e.state = 'enabled' AND o.webhooks_enabled AS is_active
      FROM event
      JOIN webhook_endpoints e ON e.organization_id = event.organization_id
      JOIN organizations o ON o.id = e.organization_id
      WHERE e.state <> 'deleted' AND CASE e.kind
        WHEN 'webhook' THEN event.type = ANY(e.event_types)
        WHEN 'mcp' THEN event.type = ANY(e.event_types)
          AND event.position IS NOT NULL AND e.expires_at > querybell_now()
          AND (e.automation_id IS NULL OR e.automation_id = event.automation_id)
        ELSE EXISTS (
          SELECT FROM automation_destinations c
          WHERE c.automation_id = event.automation_id AND c.endpoint_id = e.id AND event.type = ANY(c.event_types))
        END
    ), delivery AS (
      INSERT INTO webhook_deliveries (id, event_id, endpoint_id, state, next_attempt_at, created_at, state_changed_at)
      SELECT uuidv7(querybell_now() - now()), s.event_id, s.id,
        CASE WHEN s.is_active THEN 'pending' ELSE 'held' END::webhook_delivery_state,
        querybell_now(), querybell_now(), querybell_now()
      FROM subscribed s
    )
    SELECT (SELECT array_agg(event.id::text) FROM event),
      array_agg(DISTINCT s.id::text) FILTER (WHERE s.is_active AND s.is_held),
      array_agg(DISTINCT s.id::text) FILTER (WHERE s.is_active AND NOT s.is_held)
    FROM subscribed s;
END $$;
