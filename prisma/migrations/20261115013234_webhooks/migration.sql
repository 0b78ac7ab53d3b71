-- CreateEnum
CREATE TYPE "webhook_endpoint_state" AS ENUM ('enabled', 'disabled', 'deleted');

-- CreateEnum
CREATE TYPE "webhook_disabled_reason" AS ENUM ('failures', 'admin');

-- CreateEnum
CREATE TYPE "webhook_delivery_state" AS ENUM ('pending', 'held', 'succeeded', 'exhausted', 'cancelled', 'dropped');

-- CreateEnum
CREATE TYPE "webhook_delivery_kind" AS ENUM ('normal', 'resend', 'recovery', 'test');

-- CreateEnum
CREATE TYPE "webhook_recovery_action" AS ENUM ('resend_failed', 'deliver_held', 'drop_held');

-- CreateEnum
CREATE TYPE "webhook_recovery_state" AS ENUM ('running', 'completed', 'cancelled');

-- CreateTable
CREATE TABLE "webhook_endpoints" (
    "id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "url" TEXT NOT NULL,
    "description" TEXT NOT NULL,
    "event_types" TEXT[],
    "sealed_headers" TEXT NOT NULL,
    "standard_webhooks" BOOLEAN NOT NULL,
    "max_in_flight" INTEGER NOT NULL,
    "max_per_second" INTEGER,
    "state" "webhook_endpoint_state" NOT NULL DEFAULT 'enabled',
    "disabled_reason" "webhook_disabled_reason",
    "disabled_at" TIMESTAMPTZ(3),
    "consecutive_failures" INTEGER NOT NULL DEFAULT 0,
    "created_by" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "revision" INTEGER NOT NULL DEFAULT 0,
    "lease_owner" UUID,

    CONSTRAINT "webhook_endpoints_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "webhook_pumps" (
    "id" UUID NOT NULL,
    "lease_until" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "webhook_pumps_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "webhook_secrets" (
    "id" UUID NOT NULL,
    "endpoint_id" UUID NOT NULL,
    "sealed" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "signs_from" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3),

    CONSTRAINT "webhook_secrets_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "webhook_events" (
    "id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "type" TEXT NOT NULL,
    "body" BYTEA NOT NULL,
    "dedupe_key" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "webhook_events_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "webhook_deliveries" (
    "id" UUID NOT NULL,
    "event_id" UUID NOT NULL,
    "endpoint_id" UUID NOT NULL,
    "round" SMALLINT NOT NULL DEFAULT 0,
    "kind" "webhook_delivery_kind" NOT NULL DEFAULT 'normal',
    "state" "webhook_delivery_state" NOT NULL,
    "attempt_count" SMALLINT NOT NULL DEFAULT 0,
    "next_attempt_at" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "state_changed_at" TIMESTAMPTZ(3) NOT NULL,
    "recovery_id" UUID,

    CONSTRAINT "webhook_deliveries_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "webhook_attempts" (
    "delivery_id" UUID NOT NULL,
    "number" SMALLINT NOT NULL,
    "outcome" TEXT NOT NULL,
    "sentence" TEXT NOT NULL,
    "status" SMALLINT,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "ended_at" TIMESTAMPTZ(3) NOT NULL,
    "address" TEXT,
    "reused_connection" BOOLEAN NOT NULL,
    "request_headers" JSON NOT NULL,
    "secret_id" UUID NOT NULL,
    "response_headers" JSON,
    "response_body" BYTEA,
    "response_bytes" INTEGER,
    "body_end" TEXT,
    "dns_ms" REAL,
    "connect_ms" REAL,
    "tls_ms" REAL,
    "first_byte_ms" REAL,
    "total_ms" REAL NOT NULL,

    CONSTRAINT "webhook_attempts_pkey" PRIMARY KEY ("delivery_id","number")
);

-- CreateTable
CREATE TABLE "webhook_recoveries" (
    "id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "endpoint_id" UUID NOT NULL,
    "action" "webhook_recovery_action" NOT NULL,
    "since" TIMESTAMPTZ(3) NOT NULL,
    "per_second" INTEGER NOT NULL,
    "state" "webhook_recovery_state" NOT NULL DEFAULT 'running',
    "total" INTEGER NOT NULL,
    "queued" INTEGER NOT NULL DEFAULT 0,
    "position" UUID,
    "paced_until" TIMESTAMPTZ(3) NOT NULL,
    "created_by" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "webhook_recoveries_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "notifications" (
    "id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "detail" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "read_at" TIMESTAMPTZ(3),

    CONSTRAINT "notifications_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "webhook_endpoints_organization_id_idx" ON "webhook_endpoints"("organization_id");

-- CreateIndex
CREATE INDEX "webhook_secrets_endpoint_id_signs_from_idx" ON "webhook_secrets"("endpoint_id", "signs_from");

-- CreateIndex
CREATE INDEX "webhook_events_created_at_idx" ON "webhook_events"("created_at");

-- CreateIndex
CREATE UNIQUE INDEX "webhook_events_organization_id_dedupe_key_key" ON "webhook_events"("organization_id", "dedupe_key");

-- CreateIndex
CREATE INDEX "webhook_deliveries_endpoint_id_id_idx" ON "webhook_deliveries"("endpoint_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "webhook_deliveries_event_id_endpoint_id_round_key" ON "webhook_deliveries"("event_id", "endpoint_id", "round");

-- CreateIndex
CREATE INDEX "webhook_recoveries_organization_id_id_idx" ON "webhook_recoveries"("organization_id", "id" DESC);

-- CreateIndex
CREATE INDEX "notifications_user_id_id_idx" ON "notifications"("user_id", "id" DESC);

-- AddForeignKey
ALTER TABLE "webhook_endpoints" ADD CONSTRAINT "webhook_endpoints_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "webhook_endpoints" ADD CONSTRAINT "webhook_endpoints_created_by_fkey" FOREIGN KEY ("created_by") REFERENCES "users"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "webhook_endpoints" ADD CONSTRAINT "webhook_endpoints_lease_owner_fkey" FOREIGN KEY ("lease_owner") REFERENCES "webhook_pumps"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "webhook_secrets" ADD CONSTRAINT "webhook_secrets_endpoint_id_fkey" FOREIGN KEY ("endpoint_id") REFERENCES "webhook_endpoints"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "webhook_events" ADD CONSTRAINT "webhook_events_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "webhook_deliveries" ADD CONSTRAINT "webhook_deliveries_event_id_fkey" FOREIGN KEY ("event_id") REFERENCES "webhook_events"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "webhook_deliveries" ADD CONSTRAINT "webhook_deliveries_endpoint_id_fkey" FOREIGN KEY ("endpoint_id") REFERENCES "webhook_endpoints"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "webhook_deliveries" ADD CONSTRAINT "webhook_deliveries_recovery_id_fkey" FOREIGN KEY ("recovery_id") REFERENCES "webhook_recoveries"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "webhook_attempts" ADD CONSTRAINT "webhook_attempts_delivery_id_fkey" FOREIGN KEY ("delivery_id") REFERENCES "webhook_deliveries"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "webhook_recoveries" ADD CONSTRAINT "webhook_recoveries_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "webhook_recoveries" ADD CONSTRAINT "webhook_recoveries_endpoint_id_fkey" FOREIGN KEY ("endpoint_id") REFERENCES "webhook_endpoints"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "webhook_recoveries" ADD CONSTRAINT "webhook_recoveries_created_by_fkey" FOREIGN KEY ("created_by") REFERENCES "users"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "notifications" ADD CONSTRAINT "notifications_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "notifications" ADD CONSTRAINT "notifications_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- From here on by hand: what Prisma's language cannot say.

ALTER TABLE "webhook_endpoints"
  ADD CONSTRAINT "webhook_endpoints_limits" CHECK ("max_in_flight" BETWEEN 1 AND 256 AND "max_per_second" BETWEEN 1 AND 10000),
  ADD CONSTRAINT "webhook_endpoints_disabled" CHECK (("state" = 'disabled') = ("disabled_reason" IS NOT NULL) AND ("state" = 'disabled') = ("disabled_at" IS NOT NULL)),
  ADD CONSTRAINT "webhook_endpoints_failures" CHECK ("consecutive_failures" BETWEEN 0 AND 5);
ALTER TABLE "webhook_deliveries" ADD CONSTRAINT "webhook_deliveries_attempts" CHECK ("attempt_count" BETWEEN 0 AND 8);
ALTER TABLE "webhook_recoveries" ADD CONSTRAINT "webhook_recoveries_pace" CHECK ("per_second" BETWEEN 1 AND 10000);

-- The queue: what a pump claims, endpoint by endpoint, oldest due first. The first columns also answer
-- which endpoints have anything pending at all, by skipping from one to the next.
CREATE INDEX "webhook_deliveries_pending" ON "webhook_deliveries" ("endpoint_id", "next_attempt_at", "id") WHERE "state" = 'pending';
CREATE INDEX "webhook_deliveries_held" ON "webhook_deliveries" ("endpoint_id", "id") WHERE "state" = 'held';
CREATE INDEX "webhook_deliveries_exhausted" ON "webhook_deliveries" ("endpoint_id", "id") WHERE "state" = 'exhausted';
CREATE INDEX "webhook_deliveries_of_recovery" ON "webhook_deliveries" ("recovery_id") WHERE "recovery_id" IS NOT NULL;
CREATE UNIQUE INDEX "webhook_recoveries_running_key" ON "webhook_recoveries" ("endpoint_id", "action") WHERE "state" = 'running';
CREATE INDEX "notifications_unread" ON "notifications" ("user_id") WHERE "read_at" IS NULL;

-- Leases, counters and heartbeats change no indexed column: with room in the page these updates stay in it.
ALTER TABLE "webhook_endpoints" SET (fillfactor = 70);
ALTER TABLE "webhook_pumps" SET (fillfactor = 50);
-- Every delivery is updated at least once, and a queue is as quick as its dead rows are few.
ALTER TABLE "webhook_deliveries" SET (fillfactor = 85, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);
