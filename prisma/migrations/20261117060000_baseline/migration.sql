-- Functions that tables and indexes use.

-- The database's own time, in one place, so that a test can move it for every process at once.
CREATE OR REPLACE FUNCTION querybell_now() RETURNS timestamptz LANGUAGE sql STABLE AS 'SELECT now()';

-- The trace in which a row was inserted, as a W3C traceparent: the process that works on the row continues the trace. The
-- default reads a setting of the transaction, so that no function that inserts such rows has to know of traces. Without
-- tracing it is NULL.
CREATE OR REPLACE FUNCTION querybell_trace_context() RETURNS text LANGUAGE sql STABLE AS
  $$ SELECT nullif(current_setting('querybell.trace_context', true), '') $$;

-- The words by which a text is found. In plpgsql, which is not expanded in place, so that its cost counts: reading the words
-- of every text again takes far longer than the index, also where most texts match.
CREATE OR REPLACE FUNCTION querybell_search_words(text) RETURNS tsvector
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE COST 10000 AS $$
BEGIN
  RETURN pg_catalog.to_tsvector('pg_catalog.simple',
    pg_catalog.regexp_replace(pg_catalog.left($1, 100000), '[\x01-\x2f\x3a-\x40\x5b-\x60\x7b-\x7f]+', ' ', 'g'));
END $$;

-- The lowest id of a time: the lower bound of ids created since then.
CREATE OR REPLACE FUNCTION lowest_id_at(moment timestamptz) RETURNS uuid LANGUAGE sql IMMUTABLE STRICT AS $$
  SELECT (lpad(to_hex(floor(extract(epoch FROM moment) * 1000)::bigint), 12, '0') || '70008000000000000000')::uuid
$$;

-- CreateSchema
CREATE SCHEMA IF NOT EXISTS "public";

-- CreateEnum
CREATE TYPE "automation_agent" AS ENUM ('digest', 'external', 'model');

-- CreateEnum
CREATE TYPE "when_busy" AS ENUM ('queue', 'refuse');

-- CreateEnum
CREATE TYPE "automation_step_kind" AS ENUM ('message', 'tool_call');

-- CreateEnum
CREATE TYPE "automation_step_state" AS ENUM ('running', 'completed', 'failed');

-- CreateEnum
CREATE TYPE "rest_compatibility" AS ENUM ('live', 'retired');

-- CreateEnum
CREATE TYPE "role" AS ENUM ('owner', 'admin', 'member');

-- CreateEnum
CREATE TYPE "engine_kind" AS ENUM ('duckdb', 'postgres', 'trino');

-- CreateEnum
CREATE TYPE "run_status" AS ENUM ('pending', 'running', 'completed', 'failed');

-- CreateEnum
CREATE TYPE "upload_format" AS ENUM ('csv', 'json_lines', 'parquet');

-- CreateEnum
CREATE TYPE "uploaded_by" AS ENUM ('members', 'admins');

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
CREATE TABLE "api_keys" (
    "id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "prefix" TEXT NOT NULL,
    "secret_hash" BYTEA NOT NULL,
    "scopes" TEXT[],
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3),
    "last_used_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),

    CONSTRAINT "api_keys_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "rest_calls" (
    "key_id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "route" TEXT NOT NULL,
    "last_called_at" TIMESTAMPTZ(3) NOT NULL,
    "retired" BOOLEAN NOT NULL,

    CONSTRAINT "rest_calls_pkey" PRIMARY KEY ("key_id","route")
);

-- CreateTable
CREATE TABLE "audit_entries" (
    "id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "actor_user_id" UUID,
    "action" TEXT NOT NULL,
    "target_id" TEXT NOT NULL,
    "detail" JSONB NOT NULL,

    CONSTRAINT "audit_entries_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "automations" (
    "id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "instruction" TEXT NOT NULL,
    "agent" "automation_agent" NOT NULL,
    "schedule" JSONB,
    "enabled" BOOLEAN NOT NULL,
    "when_busy" "when_busy" NOT NULL,
    "time_limit_seconds" INTEGER NOT NULL,
    "step_budget" INTEGER NOT NULL DEFAULT 30,
    "token_budget" INTEGER NOT NULL DEFAULT 100000,
    "allows_sql" BOOLEAN NOT NULL DEFAULT false,
    "next_run_at" TIMESTAMPTZ(3),
    "last_skipped_at" TIMESTAMPTZ(3),
    "created_by" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "deleted_at" TIMESTAMPTZ(3),

    CONSTRAINT "automations_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "automation_references" (
    "automation_id" UUID NOT NULL,
    "position" SMALLINT NOT NULL,
    "organization_id" UUID NOT NULL,
    "reference_id" UUID NOT NULL,
    "parameter_values" JSONB NOT NULL,

    CONSTRAINT "automation_references_pkey" PRIMARY KEY ("automation_id","position")
);

-- CreateTable
CREATE TABLE "automation_subscribers" (
    "automation_id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "in_app" BOOLEAN NOT NULL,
    "by_mail" BOOLEAN NOT NULL,
    "on_failure" BOOLEAN NOT NULL,
    "on_summary" BOOLEAN NOT NULL,

    CONSTRAINT "automation_subscribers_pkey" PRIMARY KEY ("automation_id","user_id")
);

-- CreateTable
CREATE TABLE "automation_runs" (
    "id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "automation_id" UUID NOT NULL,
    "short_id" TEXT NOT NULL,
    "agent" "automation_agent" NOT NULL,
    "status" "run_status" NOT NULL DEFAULT 'pending',
    "trigger_id" TEXT NOT NULL,
    "is_trial" BOOLEAN NOT NULL DEFAULT false,
    "scheduled_for" TIMESTAMPTZ(3),
    "brief" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "ready_at" TIMESTAMPTZ(3),
    "started_at" TIMESTAMPTZ(3),
    "deadline_at" TIMESTAMPTZ(3),
    "completed_at" TIMESTAMPTZ(3),
    "summary" TEXT,
    "failure_code" TEXT,
    "failure_reason" TEXT,
    "model_calls" INTEGER NOT NULL DEFAULT 0,
    "input_tokens" INTEGER NOT NULL DEFAULT 0,
    "output_tokens" INTEGER NOT NULL DEFAULT 0,
    "revision" INTEGER NOT NULL DEFAULT 0,
    "trace_context" TEXT DEFAULT querybell_trace_context(),
    "lease_holder" TEXT,
    "lease_until" TIMESTAMPTZ(3),
    "lease_number" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "automation_runs_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "automation_steps" (
    "id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "run_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "position" INTEGER NOT NULL,
    "revision" INTEGER NOT NULL,
    "kind" "automation_step_kind" NOT NULL,
    "state" "automation_step_state" NOT NULL,
    "text" TEXT NOT NULL,
    "tool" TEXT,
    "input" JSONB,
    "output" JSONB,
    "query_run_id" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "automation_steps_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "automation_results" (
    "step_id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "run_id" UUID NOT NULL,
    "gzipped_json" BYTEA NOT NULL,
    "cut" BOOLEAN NOT NULL,

    CONSTRAINT "automation_results_pkey" PRIMARY KEY ("step_id")
);

-- CreateTable
CREATE TABLE "model_settings" (
    "organization_id" UUID NOT NULL,
    "url" TEXT,
    "name" TEXT,
    "sealed_api_key" TEXT,
    "monthly_tokens" INTEGER NOT NULL,
    "consented_url" TEXT NOT NULL,
    "consented_by" UUID NOT NULL,
    "consented_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "model_settings_pkey" PRIMARY KEY ("organization_id")
);

-- CreateTable
CREATE TABLE "model_usage" (
    "organization_id" UUID NOT NULL,
    "month" DATE NOT NULL,
    "tokens" BIGINT NOT NULL,

    CONSTRAINT "model_usage_pkey" PRIMARY KEY ("organization_id","month")
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

-- CreateTable
CREATE TABLE "notification_preferences" (
    "user_id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "in_app" BOOLEAN NOT NULL,
    "by_mail" BOOLEAN NOT NULL,

    CONSTRAINT "notification_preferences_pkey" PRIMARY KEY ("user_id","kind")
);

-- CreateTable
CREATE TABLE "organizations" (
    "id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "slug" TEXT NOT NULL,
    "webhooks_enabled" BOOLEAN NOT NULL DEFAULT false,
    "rest_compatibility" "rest_compatibility" NOT NULL,
    "rest_sunset_at" TIMESTAMPTZ(3),
    "result_lifetime_seconds" INTEGER NOT NULL DEFAULT 86400,
    "uploads_by" "uploaded_by" NOT NULL DEFAULT 'members',
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "organizations_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "members" (
    "organization_id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "role" "role" NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "members_pkey" PRIMARY KEY ("organization_id","user_id")
);

-- CreateTable
CREATE TABLE "invitations" (
    "id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "email" TEXT NOT NULL,
    "role" "role" NOT NULL,
    "token_hash" BYTEA NOT NULL,
    "mail_token_hash" BYTEA,
    "created_by" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "accepted_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),

    CONSTRAINT "invitations_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "users" (
    "id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "email" TEXT NOT NULL,
    "email_verified" BOOLEAN NOT NULL DEFAULT false,
    "image" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "users_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "sessions" (
    "id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "token" TEXT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "ip_address" TEXT,
    "user_agent" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "active_organization_id" UUID,

    CONSTRAINT "sessions_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "accounts" (
    "id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "account_id" TEXT NOT NULL,
    "provider_id" TEXT NOT NULL,
    "access_token" TEXT,
    "refresh_token" TEXT,
    "id_token" TEXT,
    "access_token_expires_at" TIMESTAMPTZ(3),
    "refresh_token_expires_at" TIMESTAMPTZ(3),
    "scope" TEXT,
    "password" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "accounts_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "verifications" (
    "id" UUID NOT NULL,
    "identifier" TEXT NOT NULL,
    "value" TEXT NOT NULL,
    "proves_address" BOOLEAN NOT NULL DEFAULT false,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "verifications_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "transaction_origin" (
    "system_identifier" TEXT NOT NULL,

    CONSTRAINT "transaction_origin_pkey" PRIMARY KEY ("system_identifier")
);

-- CreateTable
CREATE TABLE "worker_heartbeats" (
    "worker_id" TEXT NOT NULL,
    "seen_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "worker_heartbeats_pkey" PRIMARY KEY ("worker_id")
);

-- CreateTable
CREATE TABLE "analytical_database_configs" (
    "id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "engine" "engine_kind" NOT NULL,
    "settings" JSONB NOT NULL,
    "sealed_credentials" TEXT,
    "limits" JSONB NOT NULL,
    "reached_servers" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "holds_uploads" BOOLEAN NOT NULL DEFAULT false,
    "upload_file_id" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "deleted_at" TIMESTAMPTZ(3),

    CONSTRAINT "analytical_database_configs_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "queries" (
    "id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "analytical_database_config_id" UUID NOT NULL,
    "sql" TEXT NOT NULL,
    "name" TEXT,
    "created_by" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "deleted_at" TIMESTAMPTZ(3),
    "version" INTEGER NOT NULL DEFAULT 1,
    "version_by" UUID,
    "version_at" TIMESTAMPTZ(3),
    "automation_run_id" UUID,
    "created_xid" xid8 NOT NULL DEFAULT pg_current_xact_id(),
    "changed_xid" xid8 NOT NULL DEFAULT pg_current_xact_id(),
    "deleted_xid" xid8,

    CONSTRAINT "queries_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "query_versions" (
    "query_id" UUID NOT NULL,
    "version" INTEGER NOT NULL,
    "organization_id" UUID NOT NULL,
    "analytical_database_config_id" UUID NOT NULL,
    "sql" TEXT NOT NULL,
    "created_by" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "query_versions_pkey" PRIMARY KEY ("query_id","version")
);

-- CreateTable
CREATE TABLE "query_references" (
    "id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "short_id" TEXT NOT NULL,
    "query_id" UUID,
    "title" TEXT NOT NULL,
    "description" TEXT,
    "visualization" JSONB,
    "parameters" JSONB NOT NULL DEFAULT '[]',
    "created_by" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "deleted_at" TIMESTAMPTZ(3),
    "created_xid" xid8 NOT NULL DEFAULT pg_current_xact_id(),
    "changed_xid" xid8 NOT NULL DEFAULT pg_current_xact_id(),
    "deleted_xid" xid8,

    CONSTRAINT "query_references_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "row_versions" (
    "id" BIGSERIAL NOT NULL,
    "row_id" UUID NOT NULL,
    "changed_xid" xid8 NOT NULL,
    "replaced_xid" xid8 NOT NULL,
    "replaced_at" TIMESTAMPTZ(3) NOT NULL,
    "row" JSONB NOT NULL,

    CONSTRAINT "row_versions_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "query_runs" (
    "id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "query_id" UUID NOT NULL,
    "status" "run_status" NOT NULL DEFAULT 'pending',
    "trigger_id" TEXT NOT NULL,
    "parameter_values" JSONB NOT NULL,
    "parameter_types" JSONB NOT NULL,
    "parameter_values_hash" BYTEA NOT NULL,
    "rendered_sql" TEXT NOT NULL,
    "statement" JSONB,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "started_at" TIMESTAMPTZ(3),
    "completed_at" TIMESTAMPTZ(3),
    "cancel_requested_at" TIMESTAMPTZ(3),
    "progress_rows" INTEGER NOT NULL DEFAULT 0,
    "engine_progress" JSONB,
    "rows_read" BIGINT,
    "rows_written" INTEGER,
    "cut_by" TEXT,
    "failure_code" TEXT,
    "failure_reason" TEXT,
    "failure_line" INTEGER,
    "failure_column" INTEGER,
    "query_version" INTEGER NOT NULL DEFAULT 1,
    "trace_context" TEXT DEFAULT querybell_trace_context(),
    "lease_worker" TEXT,
    "lease_until" TIMESTAMPTZ(3),
    "lease_number" INTEGER NOT NULL DEFAULT 0,
    "released_lease" INTEGER,
    "host_deaths" INTEGER NOT NULL DEFAULT 0,
    "created_xid" xid8 NOT NULL DEFAULT pg_current_xact_id(),
    "started_xid" xid8,
    "ended_xid" xid8,

    CONSTRAINT "query_runs_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "query_results" (
    "run_id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "query_id" UUID NOT NULL,
    "parameter_values_hash" BYTEA NOT NULL,
    "gzipped_json" BYTEA NOT NULL,
    "json_bytes" INTEGER NOT NULL,
    "row_count" INTEGER NOT NULL,
    "cut_by" TEXT,
    "etag" TEXT NOT NULL,
    "completed_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "query_results_pkey" PRIMARY KEY ("run_id")
);

-- CreateTable
CREATE TABLE "upload_stores" (
    "organization_id" UUID NOT NULL,
    "database_id" UUID NOT NULL,
    "change_until" TIMESTAMPTZ(3),
    "change_number" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "upload_stores_pkey" PRIMARY KEY ("organization_id")
);

-- CreateTable
CREATE TABLE "upload_store_files" (
    "id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "change_number" INTEGER NOT NULL,
    "used_bytes" BIGINT NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "replaced_at" TIMESTAMPTZ(3),

    CONSTRAINT "upload_store_files_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "uploaded_tables" (
    "organization_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "columns" JSONB NOT NULL,
    "row_count" BIGINT NOT NULL,
    "bytes" BIGINT NOT NULL,
    "file_name" TEXT NOT NULL,
    "updated_by" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "uploaded_tables_pkey" PRIMARY KEY ("organization_id","name")
);

-- CreateTable
CREATE TABLE "uploads" (
    "id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "created_by" UUID NOT NULL,
    "file_name" TEXT NOT NULL,
    "format" "upload_format" NOT NULL,
    "bytes" BIGINT NOT NULL,
    "is_complete" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "uploads_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "webhook_endpoints" (
    "id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "url" TEXT NOT NULL,
    "description" TEXT NOT NULL,
    "event_types" TEXT[],
    "sealed_headers" TEXT NOT NULL,
    "standard_webhooks" BOOLEAN NOT NULL,
    "sends_traceparent" BOOLEAN NOT NULL DEFAULT false,
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
    "trace_context" TEXT DEFAULT querybell_trace_context(),

    CONSTRAINT "webhook_events_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "webhook_deliveries" (
    "id" UUID NOT NULL,
    "event_id" UUID NOT NULL,
    "endpoint_id" UUID NOT NULL,
    "round" INTEGER NOT NULL DEFAULT 0,
    "kind" "webhook_delivery_kind" NOT NULL DEFAULT 'normal',
    "state" "webhook_delivery_state" NOT NULL,
    "attempt_count" SMALLINT NOT NULL DEFAULT 0,
    "next_attempt_at" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "state_changed_at" TIMESTAMPTZ(3) NOT NULL,
    "recovery_id" UUID,

    CONSTRAINT "webhook_deliveries_pkey" PRIMARY KEY ("id")
);

-- Attempts are most of the bytes of webhook history: a row has the headers and the beginning of the body of an answer.
-- They are stored in partitions by the time at which their delivery was created, which its id begins with, so that a
-- purge drops a partition instead of deleting its rows.
CREATE TABLE "webhook_attempts" (
    "delivery_id" UUID NOT NULL,
    "number" SMALLINT NOT NULL,
    "outcome" TEXT NOT NULL,
    "sentence" TEXT NOT NULL,
    "status" SMALLINT,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "ended_at" TIMESTAMPTZ(3) NOT NULL,
    "url" TEXT,
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
) PARTITION BY RANGE ("delivery_id");

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

-- CreateIndex
CREATE UNIQUE INDEX "api_keys_prefix_key" ON "api_keys"("prefix");

-- CreateIndex
CREATE INDEX "api_keys_organization_id_created_at_idx" ON "api_keys"("organization_id", "created_at");

-- CreateIndex
CREATE INDEX "rest_calls_organization_id_last_called_at_idx" ON "rest_calls"("organization_id", "last_called_at" DESC);

-- CreateIndex
CREATE INDEX "audit_entries_organization_id_id_idx" ON "audit_entries"("organization_id", "id" DESC);

-- CreateIndex
CREATE INDEX "audit_entries_organization_id_actor_user_id_id_idx" ON "audit_entries"("organization_id", "actor_user_id", "id" DESC);

-- CreateIndex
CREATE INDEX "audit_entries_organization_id_action_id_idx" ON "audit_entries"("organization_id", "action", "id" DESC);

-- CreateIndex
CREATE INDEX "automations_organization_id_created_at_id_idx" ON "automations"("organization_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "automation_references_reference_id_idx" ON "automation_references"("reference_id");

-- CreateIndex
CREATE INDEX "automation_subscribers_organization_id_user_id_idx" ON "automation_subscribers"("organization_id", "user_id");

-- CreateIndex
CREATE UNIQUE INDEX "automation_runs_short_id_key" ON "automation_runs"("short_id");

-- CreateIndex
CREATE INDEX "automation_runs_automation_id_created_at_id_idx" ON "automation_runs"("automation_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "automation_runs_organization_id_created_at_id_idx" ON "automation_runs"("organization_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "automation_runs_automation_id_scheduled_for_key" ON "automation_runs"("automation_id", "scheduled_for");

-- CreateIndex
CREATE INDEX "automation_steps_run_id_revision_idx" ON "automation_steps"("run_id", "revision");

-- CreateIndex
CREATE UNIQUE INDEX "automation_steps_run_id_name_key" ON "automation_steps"("run_id", "name");

-- CreateIndex
CREATE UNIQUE INDEX "automation_steps_run_id_position_key" ON "automation_steps"("run_id", "position");

-- CreateIndex
CREATE INDEX "automation_results_run_id_idx" ON "automation_results"("run_id");

-- CreateIndex
CREATE INDEX "model_settings_consented_by_idx" ON "model_settings"("consented_by");

-- CreateIndex
CREATE INDEX "notifications_user_id_id_idx" ON "notifications"("user_id", "id" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "organizations_slug_key" ON "organizations"("slug");

-- CreateIndex
CREATE INDEX "members_user_id_idx" ON "members"("user_id");

-- CreateIndex
CREATE UNIQUE INDEX "invitations_token_hash_key" ON "invitations"("token_hash");

-- CreateIndex
CREATE UNIQUE INDEX "invitations_mail_token_hash_key" ON "invitations"("mail_token_hash");

-- CreateIndex
CREATE INDEX "invitations_organization_id_created_at_idx" ON "invitations"("organization_id", "created_at");

-- CreateIndex
CREATE UNIQUE INDEX "users_email_key" ON "users"("email");

-- CreateIndex
CREATE UNIQUE INDEX "sessions_token_key" ON "sessions"("token");

-- CreateIndex
CREATE INDEX "sessions_user_id_idx" ON "sessions"("user_id");

-- CreateIndex
CREATE INDEX "sessions_expires_at_idx" ON "sessions"("expires_at");

-- CreateIndex
CREATE INDEX "accounts_user_id_idx" ON "accounts"("user_id");

-- CreateIndex
CREATE UNIQUE INDEX "accounts_provider_id_account_id_key" ON "accounts"("provider_id", "account_id");

-- CreateIndex
CREATE INDEX "verifications_identifier_idx" ON "verifications"("identifier");

-- CreateIndex
CREATE INDEX "verifications_value_idx" ON "verifications"("value");

-- CreateIndex
CREATE INDEX "verifications_expires_at_idx" ON "verifications"("expires_at");

-- CreateIndex
CREATE UNIQUE INDEX "analytical_database_configs_upload_file_id_key" ON "analytical_database_configs"("upload_file_id");

-- CreateIndex
CREATE INDEX "analytical_database_configs_organization_id_created_at_idx" ON "analytical_database_configs"("organization_id", "created_at");

-- CreateIndex
CREATE UNIQUE INDEX "analytical_database_configs_organization_id_id_key" ON "analytical_database_configs"("organization_id", "id");

-- CreateIndex
CREATE INDEX "queries_organization_id_created_at_id_idx" ON "queries"("organization_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "query_references_short_id_key" ON "query_references"("short_id");

-- CreateIndex
CREATE INDEX "query_references_organization_id_created_at_id_idx" ON "query_references"("organization_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "query_references_query_id_created_at_idx" ON "query_references"("query_id", "created_at");

-- CreateIndex
CREATE INDEX "row_versions_row_id_idx" ON "row_versions"("row_id");

-- CreateIndex
CREATE INDEX "row_versions_replaced_at_idx" ON "row_versions"("replaced_at");

-- CreateIndex
CREATE INDEX "query_runs_query_id_created_at_id_idx" ON "query_runs"("query_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "query_runs_organization_id_created_at_id_idx" ON "query_runs"("organization_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "query_results_expires_at_idx" ON "query_results"("expires_at");

-- CreateIndex
CREATE UNIQUE INDEX "query_results_query_id_parameter_values_hash_key" ON "query_results"("query_id", "parameter_values_hash");

-- CreateIndex
CREATE UNIQUE INDEX "upload_stores_organization_id_database_id_key" ON "upload_stores"("organization_id", "database_id");

-- CreateIndex
CREATE INDEX "upload_store_files_organization_id_idx" ON "upload_store_files"("organization_id");

-- CreateIndex
CREATE INDEX "uploads_organization_id_created_at_idx" ON "uploads"("organization_id", "created_at");

-- CreateIndex
CREATE INDEX "uploads_expires_at_idx" ON "uploads"("expires_at");

-- CreateIndex
CREATE INDEX "webhook_endpoints_organization_id_idx" ON "webhook_endpoints"("organization_id");

-- CreateIndex
CREATE INDEX "webhook_secrets_endpoint_id_signs_from_idx" ON "webhook_secrets"("endpoint_id", "signs_from");

-- CreateIndex
CREATE UNIQUE INDEX "webhook_events_organization_id_dedupe_key_key" ON "webhook_events"("organization_id", "dedupe_key");

-- CreateIndex
CREATE INDEX "webhook_deliveries_endpoint_id_id_idx" ON "webhook_deliveries"("endpoint_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "webhook_deliveries_event_id_endpoint_id_round_key" ON "webhook_deliveries"("event_id", "endpoint_id", "round");

-- CreateIndex
CREATE INDEX "webhook_recoveries_organization_id_id_idx" ON "webhook_recoveries"("organization_id", "id" DESC);

-- CreateIndex
CREATE INDEX "webhook_recoveries_endpoint_id_idx" ON "webhook_recoveries"("endpoint_id");

-- AddForeignKey
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_organization_id_user_id_fkey" FOREIGN KEY ("organization_id", "user_id") REFERENCES "members"("organization_id", "user_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "rest_calls" ADD CONSTRAINT "rest_calls_key_id_fkey" FOREIGN KEY ("key_id") REFERENCES "api_keys"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "rest_calls" ADD CONSTRAINT "rest_calls_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "audit_entries" ADD CONSTRAINT "audit_entries_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "automations" ADD CONSTRAINT "automations_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "automations" ADD CONSTRAINT "automations_created_by_fkey" FOREIGN KEY ("created_by") REFERENCES "users"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "automation_references" ADD CONSTRAINT "automation_references_automation_id_fkey" FOREIGN KEY ("automation_id") REFERENCES "automations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "automation_references" ADD CONSTRAINT "automation_references_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "automation_references" ADD CONSTRAINT "automation_references_reference_id_fkey" FOREIGN KEY ("reference_id") REFERENCES "query_references"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "automation_subscribers" ADD CONSTRAINT "automation_subscribers_automation_id_fkey" FOREIGN KEY ("automation_id") REFERENCES "automations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "automation_subscribers" ADD CONSTRAINT "automation_subscribers_organization_id_user_id_fkey" FOREIGN KEY ("organization_id", "user_id") REFERENCES "members"("organization_id", "user_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "automation_runs" ADD CONSTRAINT "automation_runs_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "automation_runs" ADD CONSTRAINT "automation_runs_automation_id_fkey" FOREIGN KEY ("automation_id") REFERENCES "automations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "automation_steps" ADD CONSTRAINT "automation_steps_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "automation_steps" ADD CONSTRAINT "automation_steps_run_id_fkey" FOREIGN KEY ("run_id") REFERENCES "automation_runs"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "automation_steps" ADD CONSTRAINT "automation_steps_query_run_id_fkey" FOREIGN KEY ("query_run_id") REFERENCES "query_runs"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "automation_results" ADD CONSTRAINT "automation_results_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "automation_results" ADD CONSTRAINT "automation_results_run_id_fkey" FOREIGN KEY ("run_id") REFERENCES "automation_runs"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "automation_results" ADD CONSTRAINT "automation_results_step_id_fkey" FOREIGN KEY ("step_id") REFERENCES "automation_steps"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "model_settings" ADD CONSTRAINT "model_settings_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "model_settings" ADD CONSTRAINT "model_settings_consented_by_fkey" FOREIGN KEY ("consented_by") REFERENCES "users"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "model_usage" ADD CONSTRAINT "model_usage_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "notifications" ADD CONSTRAINT "notifications_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "notifications" ADD CONSTRAINT "notifications_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "notification_preferences" ADD CONSTRAINT "notification_preferences_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "members" ADD CONSTRAINT "members_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "members" ADD CONSTRAINT "members_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "invitations" ADD CONSTRAINT "invitations_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "invitations" ADD CONSTRAINT "invitations_created_by_fkey" FOREIGN KEY ("created_by") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_active_organization_id_fkey" FOREIGN KEY ("active_organization_id") REFERENCES "organizations"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "accounts" ADD CONSTRAINT "accounts_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "analytical_database_configs" ADD CONSTRAINT "analytical_database_configs_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "analytical_database_configs" ADD CONSTRAINT "analytical_database_configs_upload_file_id_fkey" FOREIGN KEY ("upload_file_id") REFERENCES "upload_store_files"("id") ON DELETE NO ACTION ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "queries" ADD CONSTRAINT "queries_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "queries" ADD CONSTRAINT "queries_organization_id_analytical_database_config_id_fkey" FOREIGN KEY ("organization_id", "analytical_database_config_id") REFERENCES "analytical_database_configs"("organization_id", "id") ON DELETE NO ACTION ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "queries" ADD CONSTRAINT "queries_created_by_fkey" FOREIGN KEY ("created_by") REFERENCES "users"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "queries" ADD CONSTRAINT "queries_automation_run_id_fkey" FOREIGN KEY ("automation_run_id") REFERENCES "automation_runs"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "query_versions" ADD CONSTRAINT "query_versions_query_id_fkey" FOREIGN KEY ("query_id") REFERENCES "queries"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "query_versions" ADD CONSTRAINT "query_versions_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "query_references" ADD CONSTRAINT "query_references_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "query_references" ADD CONSTRAINT "query_references_query_id_fkey" FOREIGN KEY ("query_id") REFERENCES "queries"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "query_references" ADD CONSTRAINT "query_references_created_by_fkey" FOREIGN KEY ("created_by") REFERENCES "users"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "query_runs" ADD CONSTRAINT "query_runs_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "query_runs" ADD CONSTRAINT "query_runs_query_id_fkey" FOREIGN KEY ("query_id") REFERENCES "queries"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "query_results" ADD CONSTRAINT "query_results_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "query_results" ADD CONSTRAINT "query_results_query_id_fkey" FOREIGN KEY ("query_id") REFERENCES "queries"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "query_results" ADD CONSTRAINT "query_results_run_id_fkey" FOREIGN KEY ("run_id") REFERENCES "query_runs"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "upload_stores" ADD CONSTRAINT "upload_stores_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "upload_stores" ADD CONSTRAINT "upload_stores_organization_id_database_id_fkey" FOREIGN KEY ("organization_id", "database_id") REFERENCES "analytical_database_configs"("organization_id", "id") ON DELETE NO ACTION ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "upload_store_files" ADD CONSTRAINT "upload_store_files_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "uploaded_tables" ADD CONSTRAINT "uploaded_tables_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "uploaded_tables" ADD CONSTRAINT "uploaded_tables_updated_by_fkey" FOREIGN KEY ("updated_by") REFERENCES "users"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "uploads" ADD CONSTRAINT "uploads_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "uploads" ADD CONSTRAINT "uploads_created_by_fkey" FOREIGN KEY ("created_by") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

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

-- From here on by hand: what Prisma's language cannot say.

-- People and organizations

ALTER TABLE "users" ADD CONSTRAINT "users_email_lower_case" CHECK ("email" = lower("email"));
ALTER TABLE "invitations" ADD CONSTRAINT "invitations_email_lower_case" CHECK ("email" = lower("email"));
ALTER TABLE "organizations" ADD CONSTRAINT "organizations_result_lifetime" CHECK ("result_lifetime_seconds" BETWEEN 60 AND 31536000);

-- One open invitation for each email in an organization: inviting again replaces the link.
CREATE UNIQUE INDEX "invitations_open_key" ON "invitations" ("organization_id", "email") WHERE "accepted_at" IS NULL AND "revoked_at" IS NULL;

-- Snapshots of lists

CREATE UNIQUE INDEX "transaction_origin_one_row" ON "transaction_origin" ((true));

-- Databases and uploads

CREATE UNIQUE INDEX "analytical_database_configs_uploads_key" ON "analytical_database_configs"("organization_id") WHERE "holds_uploads";
ALTER TABLE "analytical_database_configs" ADD CONSTRAINT "analytical_database_configs_upload_file" CHECK ("holds_uploads" OR "upload_file_id" IS NULL);
-- It cannot be deleted without its organization.
ALTER TABLE "analytical_database_configs" ADD CONSTRAINT "analytical_database_configs_uploads_stay" CHECK (NOT "holds_uploads" OR "deleted_at" IS NULL);
CREATE UNIQUE INDEX "uploaded_tables_lower_name_key" ON "uploaded_tables"("organization_id", lower("name"));
CREATE INDEX "upload_stores_changing" ON "upload_stores" ("change_until") WHERE "change_until" IS NOT NULL;

-- Queries and their runs

ALTER TABLE "queries" ADD CONSTRAINT "queries_name_length" CHECK (char_length("name") BETWEEN 1 AND 200);
ALTER TABLE "query_references" ADD CONSTRAINT "query_references_short_id" CHECK ("short_id" ~ '^[2-9a-hjkmnp-z]{10}$');
ALTER TABLE "query_references" ADD CONSTRAINT "query_references_title" CHECK (char_length("title") BETWEEN 1 AND 200);

-- SQL that a model wrote is never listed, found or run by users. The transaction that deletes it is the one that creates
-- it, so that no snapshot shows it either.
ALTER TABLE "queries" ADD CONSTRAINT "queries_of_models_are_deleted"
  CHECK ("automation_run_id" IS NULL OR ("deleted_at" IS NOT NULL AND "deleted_xid" = "created_xid"));
-- Which queries go with a run.
CREATE INDEX "queries_automation_run_id_idx" ON "queries" ("automation_run_id") WHERE "automation_run_id" IS NOT NULL;
-- Lists read along this index, so that they need not skip the queries of models, of which there can be many.
CREATE INDEX "queries_listed_idx" ON "queries" ("organization_id", "created_at" DESC, "id" DESC) WHERE "automation_run_id" IS NULL;

-- Indexes over expressions, not columns: the rows of queries and references are kept as versions, whole.
CREATE INDEX "queries_search_idx" ON "queries" USING gin (querybell_search_words(coalesce("name", '') || ' ' || "sql")) WHERE "deleted_at" IS NULL;
CREATE INDEX "query_references_search_idx" ON "query_references" USING gin (querybell_search_words("title" || ' ' || coalesce("description", ''))) WHERE "deleted_at" IS NULL;

-- One unfinished run for each query and set of parameter values.
CREATE UNIQUE INDEX "query_runs_unfinished_key" ON "query_runs" ("query_id", "parameter_values_hash") WHERE "status" IN ('pending', 'running');
CREATE INDEX "query_runs_completed_idx" ON "query_runs" ("query_id", "completed_at" DESC, "id" DESC) WHERE "status" = 'completed';
-- What waits, by organization, oldest first.
CREATE INDEX "query_runs_waiting_idx" ON "query_runs" ("organization_id", "created_at", "id") WHERE "status" = 'pending';
-- What runs. Without lease_until: a lease is renewed every second, and that must not write to an index.
CREATE INDEX "query_runs_running_idx" ON "query_runs" ("organization_id") WHERE "status" = 'running';
ALTER TABLE "query_runs" ADD CONSTRAINT "query_runs_ended" CHECK (("status" IN ('completed', 'failed')) = ("completed_at" IS NOT NULL));
ALTER TABLE "query_runs" ADD CONSTRAINT "query_runs_failure" CHECK (("status" = 'failed') = ("failure_code" IS NOT NULL AND "failure_reason" IS NOT NULL));
ALTER TABLE "query_runs" ADD CONSTRAINT "query_runs_lease" CHECK ("status" <> 'running' OR ("lease_worker" IS NOT NULL AND "lease_until" IS NOT NULL));
ALTER TABLE "query_runs" ADD CONSTRAINT "query_runs_cut_by" CHECK ("cut_by" IN ('rows', 'bytes'));

-- Compressed already: trying to compress it again only costs time.
ALTER TABLE "query_results" ALTER COLUMN "gzipped_json" SET STORAGE EXTERNAL;
ALTER TABLE "automation_results" ALTER COLUMN "gzipped_json" SET STORAGE EXTERNAL;

-- Automations and their runs

ALTER TABLE "automations" ADD CONSTRAINT "automations_next_run_at" CHECK ("next_run_at" IS NULL OR ("enabled" AND "schedule" IS NOT NULL AND "deleted_at" IS NULL));
ALTER TABLE "automations" ADD CONSTRAINT "automations_budget" CHECK ("step_budget" > 0 AND "token_budget" > 0);
CREATE INDEX "automations_due_idx" ON "automations" ("next_run_at") WHERE "next_run_at" IS NOT NULL;
CREATE INDEX "automations_search_idx" ON "automations" USING gin (querybell_search_words("name" || ' ' || "instruction")) WHERE "deleted_at" IS NULL;

ALTER TABLE "automation_runs" ADD CONSTRAINT "automation_runs_short_id" CHECK ("short_id" ~ '^[2-9a-hjkmnp-z]{10}$');
ALTER TABLE "automation_runs" ADD CONSTRAINT "automation_runs_ended" CHECK (("status" IN ('completed', 'failed')) = ("completed_at" IS NOT NULL));
ALTER TABLE "automation_runs" ADD CONSTRAINT "automation_runs_summary" CHECK (("status" = 'completed') = ("summary" IS NOT NULL));
ALTER TABLE "automation_runs" ADD CONSTRAINT "automation_runs_failure" CHECK (("status" = 'failed') = ("failure_code" IS NOT NULL AND "failure_reason" IS NOT NULL));
ALTER TABLE "automation_runs" ADD CONSTRAINT "automation_runs_lease" CHECK ("status" <> 'running' OR ("ready_at" IS NOT NULL AND "deadline_at" IS NOT NULL AND "lease_holder" IS NOT NULL AND "lease_until" IS NOT NULL));
ALTER TABLE "automation_runs" ADD CONSTRAINT "automation_runs_usage" CHECK ("model_calls" >= 0 AND "input_tokens" >= 0 AND "output_tokens" >= 0);
-- One run of each automation has its turn; a run that is not ready cannot be running (automation_runs_lease).
CREATE UNIQUE INDEX "automation_runs_turn_key" ON "automation_runs" ("automation_id") WHERE "status" IN ('pending', 'running') AND "ready_at" IS NOT NULL;
CREATE INDEX "automation_runs_unfinished_idx" ON "automation_runs" ("automation_id", "created_at", "id") WHERE "status" IN ('pending', 'running');
CREATE INDEX "automation_runs_completed_idx" ON "automation_runs" ("automation_id", "completed_at" DESC, "id" DESC) WHERE "status" = 'completed';
CREATE INDEX "automation_runs_waiting_idx" ON "automation_runs" ("organization_id", "ready_at", "id") WHERE "status" = 'pending' AND "ready_at" IS NOT NULL AND "agent" <> 'external';
CREATE INDEX "automation_runs_running_idx" ON "automation_runs" ("organization_id") WHERE "status" = 'running' AND "agent" <> 'external';
CREATE INDEX "automation_runs_external_waiting_idx" ON "automation_runs" ("organization_id", "ready_at", "id") WHERE "status" = 'pending' AND "ready_at" IS NOT NULL AND "agent" = 'external';
CREATE INDEX "automation_runs_external_running_idx" ON "automation_runs" ("organization_id") WHERE "status" = 'running' AND "agent" = 'external';
-- A person tries one thing at a time.
CREATE UNIQUE INDEX "automation_runs_one_trial" ON "automation_runs" ("organization_id", "trigger_id")
  WHERE "is_trial" AND "status" IN ('pending', 'running');
-- Which trials are to be deleted.
CREATE INDEX "automation_runs_trials" ON "automation_runs" ("created_at") WHERE "is_trial";

ALTER TABLE "automation_steps" ADD CONSTRAINT "automation_steps_ended" CHECK (("state" = 'running') = ("ended_at" IS NULL));
ALTER TABLE "automation_steps" ADD CONSTRAINT "automation_steps_tool" CHECK (("kind" = 'tool_call') = ("tool" IS NOT NULL));
CREATE INDEX "automation_steps_query_run_idx" ON "automation_steps" ("query_run_id") WHERE "query_run_id" IS NOT NULL;

ALTER TABLE "model_settings" ADD CONSTRAINT "model_settings_connection" CHECK (("url" IS NULL) = ("name" IS NULL) AND ("sealed_api_key" IS NULL OR "url" IS NOT NULL) AND "monthly_tokens" >= 0);
ALTER TABLE "model_usage" ADD CONSTRAINT "model_usage_tokens" CHECK ("tokens" >= 0 AND extract(day FROM "month") = 1);

-- Notifications

ALTER TABLE "automation_subscribers" ADD CONSTRAINT "automation_subscribers_told" CHECK (("in_app" OR "by_mail") AND ("on_failure" OR "on_summary"));
ALTER TABLE "notification_preferences" ADD CONSTRAINT "notification_preferences_kind" CHECK ("kind" IN ('automation_run_failed', 'automation_summary'));
CREATE INDEX "notifications_unread" ON "notifications" ("user_id") WHERE "read_at" IS NULL;
-- However often the end of a run is written: each person is told of it once.
CREATE UNIQUE INDEX "notifications_automation_run_key" ON "notifications" ("user_id", ("detail" ->> 'runId')) WHERE "kind" IN ('automation_run_failed', 'automation_summary');

-- Webhooks

ALTER TABLE "webhook_endpoints"
  ADD CONSTRAINT "webhook_endpoints_limits" CHECK ("max_in_flight" BETWEEN 1 AND 256 AND "max_per_second" BETWEEN 1 AND 10000),
  ADD CONSTRAINT "webhook_endpoints_disabled" CHECK (("state" = 'disabled') = ("disabled_reason" IS NOT NULL) AND ("state" = 'disabled') = ("disabled_at" IS NOT NULL)),
  ADD CONSTRAINT "webhook_endpoints_failures" CHECK ("consecutive_failures" BETWEEN 0 AND 5);
ALTER TABLE "webhook_deliveries" ADD CONSTRAINT "webhook_deliveries_attempts" CHECK ("attempt_count" BETWEEN 0 AND 8);
ALTER TABLE "webhook_recoveries" ADD CONSTRAINT "webhook_recoveries_pace" CHECK ("per_second" BETWEEN 1 AND 10000);

-- The queue: what a pump claims, endpoint by endpoint, oldest due first. The first columns also answer which endpoints
-- have anything pending at all, by skipping from one to the next.
CREATE INDEX "webhook_deliveries_pending" ON "webhook_deliveries" ("endpoint_id", "next_attempt_at", "id") WHERE "state" = 'pending';
CREATE INDEX "webhook_deliveries_held" ON "webhook_deliveries" ("endpoint_id", "id") WHERE "state" = 'held';
CREATE INDEX "webhook_deliveries_exhausted" ON "webhook_deliveries" ("endpoint_id", "id") WHERE "state" = 'exhausted';
CREATE INDEX "webhook_deliveries_of_recovery" ON "webhook_deliveries" ("recovery_id") WHERE "recovery_id" IS NOT NULL;
CREATE UNIQUE INDEX "webhook_recoveries_running_key" ON "webhook_recoveries" ("endpoint_id", "action") WHERE "state" = 'running';
-- What housekeeping looks for.
CREATE INDEX "webhook_secrets_rotated" ON "webhook_secrets" ("expires_at") WHERE "expires_at" IS NOT NULL;
CREATE INDEX "webhook_endpoints_deleted" ON "webhook_endpoints" ("updated_at") WHERE "state" = 'deleted';

-- Leases, counters and heartbeats change no indexed column: with room in the page these updates stay in it.
ALTER TABLE "webhook_endpoints" SET (fillfactor = 70);
ALTER TABLE "webhook_pumps" SET (fillfactor = 50);
-- Every delivery is updated at least once, and a queue is as quick as its dead rows are few.
ALTER TABLE "webhook_deliveries" SET (fillfactor = 85, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);

-- The partitions of attempts are in another schema, so that `public` has one table of them. The first one is for
-- deliveries from before this hour, as a restored backup has them.
CREATE SCHEMA "partitions";
CREATE TABLE "partitions"."webhook_attempts_first" PARTITION OF "webhook_attempts"
  FOR VALUES FROM (MINVALUE) TO (lowest_id_at(date_trunc('hour', querybell_now()) + interval '1 hour'));
-- For ids that no other partition is for: no write fails because a partition is missing.
CREATE TABLE "partitions"."webhook_attempts_other" PARTITION OF "webhook_attempts" DEFAULT;
-- The partitions but the one for other ids. The first one has no begin.
CREATE VIEW "partitions"."webhook_attempt_partitions" AS
  SELECT c.relname AS "name",
    uuid_extract_timestamp(substring(bounds FROM 'FROM \(''([0-9a-f-]+)''\)')::uuid) AS "begins_at",
    uuid_extract_timestamp(substring(bounds FROM 'TO \(''([0-9a-f-]+)''\)')::uuid) AS "ends_at"
  FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
  CROSS JOIN LATERAL pg_get_expr(c.relpartbound, c.oid) AS bounds
  WHERE i.inhparent = 'public.webhook_attempts'::regclass AND bounds <> 'DEFAULT';

-- The other functions, and the triggers, as prisma/functions has them.

-- What the audit log says cannot be changed. Its entries go with their organization, or after a retention period of at
-- least 90 days.
CREATE OR REPLACE FUNCTION audit_entries_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' AND (
    OLD.at < querybell_now() - interval '90 days'
    OR NOT EXISTS (SELECT 1 FROM organizations WHERE id = OLD.organization_id)
  ) THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION 'the audit log is never edited';
END $$;

CREATE OR REPLACE TRIGGER audit_entries_refuse_change BEFORE UPDATE OR DELETE ON audit_entries
  FOR EACH ROW
  EXECUTE FUNCTION audit_entries_refuse_change();

CREATE OR REPLACE TRIGGER audit_entries_refuse_truncate BEFORE TRUNCATE ON audit_entries
  FOR EACH STATEMENT
  EXECUTE FUNCTION audit_entries_refuse_change();

-- The states of a run: pending to running or failed, running to completed or failed, nothing else.
CREATE OR REPLACE FUNCTION automation_runs_hold_states() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    IF NEW.status <> 'pending' THEN
      RAISE EXCEPTION 'a run begins as pending, not as %', NEW.status USING ERRCODE = 'QB002';
    END IF;
  ELSIF OLD.status IN ('completed', 'failed') THEN
    RAISE EXCEPTION 'run % has ended as % and cannot change', OLD.id, OLD.status USING ERRCODE = 'QB002';
  ELSIF NEW.status <> OLD.status
    AND (OLD.status, NEW.status) NOT IN (
      ('pending', 'running'), ('pending', 'failed'), ('running', 'completed'), ('running', 'failed')) THEN
    RAISE EXCEPTION 'run % cannot go from % to %', OLD.id, OLD.status, NEW.status USING ERRCODE = 'QB002';
  END IF;
  RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER automation_runs_hold_states BEFORE INSERT OR UPDATE ON automation_runs
  FOR EACH ROW
  EXECUTE FUNCTION automation_runs_hold_states();

-- Tells whoever watches a run that there is something new to read, and who executes it that it is over.
-- A transaction that sets querybell.notices to 'after_commit' tells them itself once it has committed, because commits that
-- NOTIFY wait for each other.
CREATE OR REPLACE FUNCTION automation_runs_tell_watchers() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('querybell_automation_run_changed', NEW.id::text);
  IF NEW.status IN ('completed', 'failed') THEN
    PERFORM pg_notify('querybell_automation_run_ended', NEW.id::text);
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER automation_runs_tell_watchers AFTER UPDATE ON automation_runs
  FOR EACH ROW WHEN (
    (OLD.status <> NEW.status OR OLD.revision <> NEW.revision OR OLD.ready_at IS DISTINCT FROM NEW.ready_at)
    AND current_setting('querybell.notices', true) IS DISTINCT FROM 'after_commit')
  EXECUTE FUNCTION automation_runs_tell_watchers();

-- A step that has ended stays as it is.
CREATE OR REPLACE FUNCTION automation_steps_hold_states() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'step % of run % has ended and cannot change', OLD.name, OLD.run_id USING ERRCODE = 'QB003';
END $$;

CREATE OR REPLACE TRIGGER automation_steps_hold_states BEFORE UPDATE ON automation_steps
  FOR EACH ROW WHEN (
    OLD.state <> 'running'
    AND (OLD.state, OLD.name, OLD.text, OLD.output) IS DISTINCT FROM (NEW.state, NEW.name, NEW.text, NEW.output))
  EXECUTE FUNCTION automation_steps_hold_states();

-- Claims a run of an automation for a worker: one whose lease has expired, or else the oldest waiting run of the organization
-- that has the fewest running; between equals, of the one whose oldest run has waited longest. It skips organizations
-- that the claimer excludes or that have reached their ceiling.
--
-- Its cost depends on neither the number of waiting runs nor that of waiting organizations: it skips from organization
-- to organization in the index, starting after the one that the claimer names, and compares the first 64 that may have
-- a run.
--
-- In plpgsql, because every statement of a function sees what was committed before it began. A single statement would
-- count with a snapshot from before it had the lock.
--
-- claim_query_run does the same with runs of queries.
CREATE OR REPLACE FUNCTION claim_automation_run(
  claimer text, claimed_at timestamptz, lease_seconds int,
  excluded_organizations uuid[], organization_ceiling int, total_ceiling int, after_organization uuid
) RETURNS SETOF automation_runs LANGUAGE plpgsql AS $$
DECLARE
  candidate uuid;
  chosen uuid;
  total bigint;
  full_organizations uuid[];
BEGIN
  -- One claim at a time: two that count at once could both take the last slot below a ceiling.
  PERFORM pg_advisory_xact_lock(hashtextextended('claim_automation_run', 0));

  SELECT coalesce(sum(runs), 0),
    excluded_organizations || coalesce(array_agg(organization_id) FILTER (WHERE runs >= organization_ceiling), '{}')
  INTO total, full_organizations
  FROM (
    SELECT organization_id, count(*) AS runs FROM automation_runs
    WHERE status = 'running' AND agent <> 'external' AND lease_until >= now()
    GROUP BY organization_id
  ) live;
  IF total >= total_ceiling THEN
    RETURN;
  END IF;

  SELECT id INTO chosen FROM automation_runs
  WHERE status = 'running' AND agent <> 'external' AND lease_until < now() AND organization_id <> ALL (full_organizations)
  ORDER BY lease_until LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED;

  IF chosen IS NULL THEN
    FOR candidate IN
      WITH RECURSIVE visited AS (
        SELECT next.organization_id, next.organization_id AS first,
          (next.organization_id <> ALL (full_organizations))::int AS compared
        FROM (
          SELECT coalesce(
            (SELECT organization_id FROM automation_runs
             WHERE status = 'pending' AND ready_at IS NOT NULL AND agent <> 'external' AND organization_id > after_organization
             ORDER BY organization_id LIMIT 1),
            (SELECT organization_id FROM automation_runs
             WHERE status = 'pending' AND ready_at IS NOT NULL AND agent <> 'external'
             ORDER BY organization_id LIMIT 1)
          ) AS organization_id
        ) next
        WHERE next.organization_id IS NOT NULL
        UNION ALL
        SELECT next.organization_id, v.first,
          v.compared + (next.organization_id <> ALL (full_organizations))::int
        FROM visited v CROSS JOIN LATERAL (
          SELECT coalesce(
            (SELECT organization_id FROM automation_runs
             WHERE status = 'pending' AND ready_at IS NOT NULL AND agent <> 'external' AND organization_id > v.organization_id
             ORDER BY organization_id LIMIT 1),
            (SELECT organization_id FROM automation_runs
             WHERE status = 'pending' AND ready_at IS NOT NULL AND agent <> 'external'
             ORDER BY organization_id LIMIT 1)
          ) AS organization_id
        ) next
        WHERE next.organization_id <> v.first AND v.compared < 64
      )
      SELECT v.organization_id FROM visited v
      CROSS JOIN LATERAL (
        SELECT count(*) AS runs FROM automation_runs r
        WHERE r.organization_id = v.organization_id AND status = 'running' AND agent <> 'external' AND lease_until >= now()
      ) live
      CROSS JOIN LATERAL (
        SELECT r.ready_at AS since FROM automation_runs r
        WHERE r.organization_id = v.organization_id AND status = 'pending' AND ready_at IS NOT NULL AND agent <> 'external'
        ORDER BY r.ready_at, r.id LIMIT 1
      ) oldest
      WHERE v.organization_id <> ALL (full_organizations)
      ORDER BY live.runs, oldest.since, v.organization_id
    LOOP
      -- Not FOR UPDATE: a transcript that refers to the run holds a key-share lock and is no reason to skip it.
      SELECT id INTO chosen FROM automation_runs
      WHERE organization_id = candidate AND status = 'pending' AND ready_at IS NOT NULL AND agent <> 'external'
      ORDER BY ready_at, id LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED;
      EXIT WHEN chosen IS NOT NULL;
    END LOOP;
  END IF;

  RETURN QUERY UPDATE automation_runs SET status = 'running', started_at = coalesce(started_at, claimed_at),
    lease_until = now() + make_interval(secs => lease_seconds), lease_number = lease_number + 1, lease_holder = claimer,
    deadline_at = coalesce(deadline_at, claimed_at + make_interval(secs => (brief->>'timeLimitSeconds')::int))
  WHERE id = chosen RETURNING *;
END $$;

-- Claims a run for an external agent: one whose lease has expired, or else the one that has waited longest. Of one
-- automation if it is given, otherwise of any of the organization. The caller tells the watchers.
CREATE OR REPLACE FUNCTION claim_external_run(
  chosen_organization uuid, chosen_automation uuid, claimer text, claimed_at timestamptz, lease_seconds int, max_attempts int
) RETURNS SETOF automation_runs LANGUAGE plpgsql AS $$
DECLARE
  chosen uuid;
BEGIN
  PERFORM set_config('querybell.notices', 'after_commit', true);
  IF chosen_automation IS NOT NULL THEN
    -- One run of an automation is ready at a time.
    SELECT id INTO chosen FROM automation_runs
    WHERE automation_id = chosen_automation AND organization_id = chosen_organization AND agent = 'external'
      AND status IN ('pending', 'running') AND ready_at IS NOT NULL
      AND (status = 'pending' OR (lease_until < now() AND lease_number < max_attempts AND deadline_at > claimed_at))
    FOR NO KEY UPDATE SKIP LOCKED;
  ELSE
    SELECT id INTO chosen FROM automation_runs
    WHERE organization_id = chosen_organization AND status = 'running' AND agent = 'external'
      AND lease_until < now() AND lease_number < max_attempts AND deadline_at > claimed_at
    ORDER BY ready_at, id LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED;
    IF chosen IS NULL THEN
      SELECT id INTO chosen FROM automation_runs
      WHERE organization_id = chosen_organization AND status = 'pending' AND ready_at IS NOT NULL AND agent = 'external'
      ORDER BY ready_at, id LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED;
    END IF;
  END IF;
  IF chosen IS NULL THEN
    RETURN;
  END IF;
  RETURN QUERY UPDATE automation_runs SET status = 'running', started_at = coalesce(started_at, claimed_at),
    deadline_at = coalesce(deadline_at, claimed_at + make_interval(secs => (brief->>'timeLimitSeconds')::int)),
    lease_holder = claimer, lease_until = now() + make_interval(secs => lease_seconds), lease_number = lease_number + 1
  WHERE id = chosen RETURNING *;
END $$;

-- Claims a run of a query for a worker: one whose lease has expired, or else the oldest waiting run of the organization
-- that has the fewest running; between equals, of the one whose oldest run has waited longest. It skips organizations
-- that the claimer excludes or that have reached their ceiling. The caller tells the watchers.
--
-- Its cost depends on neither the number of waiting runs nor that of waiting organizations: it skips from organization
-- to organization in the index, starting after the one that the claimer names, and compares the first 64 that may have
-- a run.
--
-- In plpgsql, because every statement of a function sees what was committed before it began. A single statement would
-- count with a snapshot from before it had the lock.
--
-- claim_automation_run does the same with runs of automations.
CREATE OR REPLACE FUNCTION claim_query_run(
  claimer text, claimed_at timestamptz, lease_seconds int,
  excluded_organizations uuid[], organization_ceiling int, total_ceiling int, after_organization uuid
) RETURNS SETOF query_runs LANGUAGE plpgsql AS $$
DECLARE
  candidate uuid;
  chosen uuid;
  total bigint;
  full_organizations uuid[];
BEGIN
  -- One claim at a time: two that count at once could both take the last slot below a ceiling.
  PERFORM pg_advisory_xact_lock(hashtextextended('claim_query_run', 0));

  SELECT coalesce(sum(runs), 0),
    excluded_organizations || coalesce(array_agg(organization_id) FILTER (WHERE runs >= organization_ceiling), '{}')
  INTO total, full_organizations
  FROM (
    SELECT organization_id, count(*) AS runs FROM query_runs
    WHERE status = 'running' AND lease_until >= now()
    GROUP BY organization_id
  ) live;
  IF total >= total_ceiling THEN
    RETURN;
  END IF;

  SELECT id INTO chosen FROM query_runs
  WHERE status = 'running' AND lease_until < now() AND organization_id <> ALL (full_organizations)
  ORDER BY lease_until LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED;

  IF chosen IS NULL THEN
    FOR candidate IN
      WITH RECURSIVE visited AS (
        SELECT next.organization_id, next.organization_id AS first,
          (next.organization_id <> ALL (full_organizations))::int AS compared
        FROM (
          SELECT coalesce(
            (SELECT organization_id FROM query_runs
             WHERE status = 'pending' AND organization_id > after_organization
             ORDER BY organization_id LIMIT 1),
            (SELECT organization_id FROM query_runs
             WHERE status = 'pending'
             ORDER BY organization_id LIMIT 1)
          ) AS organization_id
        ) next
        WHERE next.organization_id IS NOT NULL
        UNION ALL
        SELECT next.organization_id, v.first,
          v.compared + (next.organization_id <> ALL (full_organizations))::int
        FROM visited v CROSS JOIN LATERAL (
          SELECT coalesce(
            (SELECT organization_id FROM query_runs
             WHERE status = 'pending' AND organization_id > v.organization_id
             ORDER BY organization_id LIMIT 1),
            (SELECT organization_id FROM query_runs
             WHERE status = 'pending'
             ORDER BY organization_id LIMIT 1)
          ) AS organization_id
        ) next
        WHERE next.organization_id <> v.first AND v.compared < 64
      )
      SELECT v.organization_id FROM visited v
      CROSS JOIN LATERAL (
        SELECT count(*) AS runs FROM query_runs r
        WHERE r.organization_id = v.organization_id AND status = 'running' AND lease_until >= now()
      ) live
      CROSS JOIN LATERAL (
        SELECT r.created_at AS since FROM query_runs r
        WHERE r.organization_id = v.organization_id AND status = 'pending'
        ORDER BY r.created_at, r.id LIMIT 1
      ) oldest
      WHERE v.organization_id <> ALL (full_organizations)
      ORDER BY live.runs, oldest.since, v.organization_id
    LOOP
      -- Not FOR UPDATE: a transcript that refers to the run holds a key-share lock and is no reason to skip it.
      SELECT id INTO chosen FROM query_runs
      WHERE organization_id = candidate AND status = 'pending'
      ORDER BY created_at, id LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED;
      EXIT WHEN chosen IS NOT NULL;
    END LOOP;
  END IF;

  PERFORM set_config('querybell.notices', 'after_commit', true);
  RETURN QUERY UPDATE query_runs SET status = 'running', started_at = coalesce(started_at, claimed_at),
    lease_until = now() + make_interval(secs => lease_seconds), lease_number = lease_number + 1, lease_worker = claimer
  WHERE id = chosen RETURNING *;
END $$;

-- Completes a run and stores its result, instead of the one for equal values. False when the lease is lost: only the
-- newest lease may write. The caller tells the watchers.
CREATE OR REPLACE FUNCTION complete_query_run(
  chosen_run uuid, chosen_lease int, chosen_query uuid, end_time timestamptz, result_rows int, new_rows_read bigint,
  new_cut_by text, new_gzipped_json bytea, new_json_bytes int, new_etag text
) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  run query_runs;
BEGIN
  PERFORM set_config('querybell.notices', 'after_commit', true);
  -- Every transaction locks the query's row before the run's, which prevents deadlocks.
  PERFORM FROM queries q WHERE q.id = chosen_query FOR KEY SHARE;
  UPDATE query_runs r SET status = 'completed', completed_at = end_time, progress_rows = result_rows,
    rows_read = new_rows_read, rows_written = result_rows, cut_by = new_cut_by, statement = NULL
  WHERE r.id = chosen_run AND r.lease_number = chosen_lease AND r.status = 'running'
  RETURNING * INTO run;
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  DELETE FROM query_results d WHERE d.query_id = run.query_id AND d.parameter_values_hash = run.parameter_values_hash;
  INSERT INTO query_results (run_id, organization_id, query_id, parameter_values_hash, gzipped_json, json_bytes,
    row_count, cut_by, etag, completed_at, expires_at)
  SELECT run.id, run.organization_id, run.query_id, run.parameter_values_hash, new_gzipped_json, new_json_bytes,
    result_rows, new_cut_by, new_etag, end_time, end_time + make_interval(secs => o.result_lifetime_seconds)
  FROM organizations o WHERE o.id = run.organization_id;
  RETURN true;
END $$;

-- A run whose engine host died twice is not started a third time: the statement may be what ends them. The deaths are
-- counted here, so that it holds for whoever claims, in the statement that claims: a worker that dies takes its hosts with
-- it, and leaves a lease that expires. A worker that is stopped gives the lease back.
CREATE OR REPLACE FUNCTION count_host_death() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW."host_deaths" := OLD."host_deaths" + 1;
  RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER query_runs_count_host_death BEFORE UPDATE OF lease_number ON query_runs
  FOR EACH ROW WHEN (
    OLD.status = 'running' AND NEW.lease_number > OLD.lease_number
    AND OLD.released_lease IS DISTINCT FROM OLD.lease_number)
  EXECUTE FUNCTION count_host_death();

-- Creates the database for an organization's uploads.
CREATE OR REPLACE FUNCTION create_upload_store(organization organizations) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  new_id uuid := uuidv7();
BEGIN
  INSERT INTO analytical_database_configs (
    id, organization_id, name, engine, settings, limits, holds_uploads, created_at, updated_at)
  VALUES (
    new_id, organization.id, 'Uploads', 'duckdb', '{}', '{}', true, organization.created_at, organization.created_at);
  INSERT INTO upload_stores (organization_id, database_id) VALUES (organization.id, new_id);
END $$;

-- Every organization has a database for its uploads, however it was created.
CREATE OR REPLACE FUNCTION create_upload_store_of_new() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM create_upload_store(NEW);
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER organizations_create_upload_store AFTER INSERT ON organizations
  FOR EACH ROW
  EXECUTE FUNCTION create_upload_store_of_new();

-- Creates partitions of so many days until the next two exist. Attempts that came while a partition was missing stay where
-- they are, and the next partition begins after them. The locks are taken in the order in which writers take them, and
-- waited for only briefly, because writers wait meanwhile: null if it could not have them.
CREATE OR REPLACE FUNCTION create_webhook_attempt_partitions(width_days int) RETURNS int
LANGUAGE plpgsql SET lock_timeout = '100ms' AS $$
DECLARE
  -- Days of 24 hours, whatever the time zone of the session is.
  width interval := make_interval(hours => 24 * width_days);
  until timestamptz := querybell_now() + 2 * width;
  created int := 0;
  begins timestamptz;
  misplaced timestamptz;
BEGIN
  IF (SELECT max(ends_at) > until FROM partitions.webhook_attempt_partitions) THEN
    RETURN 0;
  END IF;
  LOCK TABLE webhook_deliveries IN SHARE ROW EXCLUSIVE MODE;
  LOCK TABLE ONLY webhook_attempts IN ACCESS EXCLUSIVE MODE;
  SELECT max(ends_at) INTO begins FROM partitions.webhook_attempt_partitions;
  SELECT date_trunc('hour', uuid_extract_timestamp(delivery_id)) + interval '1 hour' INTO misplaced
  FROM partitions.webhook_attempts_other
  WHERE delivery_id < lowest_id_at(until + width) ORDER BY delivery_id DESC LIMIT 1;
  begins := greatest(begins, misplaced, date_trunc('hour', querybell_now()));
  WHILE begins <= until LOOP
    EXECUTE format(
      'CREATE TABLE partitions.%I PARTITION OF webhook_attempts FOR VALUES FROM (%L) TO (%L)',
      'webhook_attempts_' || to_char(begins AT TIME ZONE 'UTC', 'YYYY_MM_DD_HH24'),
      lowest_id_at(begins), lowest_id_at(begins + width));
    begins := begins + width;
    created := created + 1;
  END LOOP;
  RETURN created;
EXCEPTION WHEN lock_not_available THEN
  RETURN NULL;
END $$;

-- Drops a partition. The attempts of the given deliveries move to the partition for other ids. False if it could not have
-- its locks soon.
CREATE OR REPLACE FUNCTION drop_webhook_attempt_partition(partition_name text, kept_deliveries uuid[]) RETURNS boolean
LANGUAGE plpgsql SET lock_timeout = '100ms' AS $$
DECLARE
  kept webhook_attempts[];
BEGIN
  LOCK TABLE ONLY webhook_attempts IN ACCESS EXCLUSIVE MODE;
  -- Not DETACH, which would lock webhook_deliveries too. Another process may have dropped it meanwhile.
  IF to_regclass(format('partitions.%I', partition_name)) IS NOT NULL THEN
    SELECT array_agg(a) INTO kept FROM webhook_attempts a WHERE delivery_id = ANY(kept_deliveries);
    EXECUTE format('DROP TABLE partitions.%I', partition_name);
    INSERT INTO webhook_attempts SELECT * FROM unnest(kept);
  END IF;
  RETURN true;
EXCEPTION WHEN lock_not_available THEN
  RETURN false;
END $$;

-- Inserts events, and a delivery of each for every subscribed endpoint. Each cause emits at most once. The caller wakes
-- the pumps: those that hold an endpoint, and for an endpoint that none holds, all of them.
CREATE OR REPLACE FUNCTION emit_webhook_events(
  event_ids uuid[], organization_ids uuid[], event_types text[], bodies bytea[], causes text[], emitted_at timestamptz
) RETURNS TABLE (emitted text[], held_endpoints text[], free_endpoints text[]) LANGUAGE plpgsql AS $$
BEGIN
  RETURN QUERY
    WITH event AS (
      INSERT INTO webhook_events (id, organization_id, type, body, dedupe_key, created_at)
      SELECT e.id, e.organization_id, e.type, e.body, e.cause, emitted_at
      FROM unnest(event_ids, organization_ids, event_types, bodies, causes) AS e(id, organization_id, type, body, cause)
      ON CONFLICT (organization_id, dedupe_key) DO NOTHING
      RETURNING id, organization_id, type
    ), subscribed AS (
      SELECT event.id AS event_id, e.id, e.lease_owner IS NOT NULL AS is_held,
        e.state = 'enabled' AND o.webhooks_enabled AS is_active
      FROM event
      JOIN webhook_endpoints e ON e.organization_id = event.organization_id
      JOIN organizations o ON o.id = e.organization_id
      WHERE e.state <> 'deleted' AND event.type = ANY(e.event_types)
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

-- Ends a run: its state, its open steps, its event with a delivery for each endpoint, and the turn of the next run. Only the
-- newest lease ends it; without a lease, whoever cancels it or finds it overdue does. A trial emits no event and keeps no
-- results: no later run is compared with it.
--
-- outcome: ended; not_ended, when it has ended or the lease is lost; more_to_do, when it is called alone but there are
-- queries to cancel or people to notify, which the caller does in a transaction with it.
CREATE OR REPLACE FUNCTION end_automation_run(
  chosen_run uuid, chosen_automation uuid, chosen_lease int, new_status run_status, new_summary text,
  new_failure_code text, new_failure_reason text, new_step uuid, end_time timestamptz,
  new_event uuid, event_type text, event_body bytea, is_alone boolean
) RETURNS TABLE (
  outcome text, changed_runs text[], cancelled_query_runs text[], held_endpoints text[], free_endpoints text[]
) LANGUAGE plpgsql AS $$
DECLARE
  run automation_runs;
  has_open_steps boolean;
  own_query_runs text[];
  next_run uuid;
BEGIN
  PERFORM set_config('querybell.notices', CASE WHEN is_alone THEN 'after_commit' ELSE '' END, true);
  -- Every transaction that starts or ends a run locks the automation first, so that the next run is never missed.
  PERFORM FROM automations WHERE id = chosen_automation FOR NO KEY UPDATE;
  SELECT * INTO run FROM automation_runs r
  WHERE r.id = chosen_run AND r.automation_id = chosen_automation AND (chosen_lease IS NULL OR r.lease_number = chosen_lease)
    AND (r.status = 'running' OR (r.status = 'pending' AND new_status = 'failed'))
  FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    RETURN QUERY SELECT 'not_ended', NULL::text[], NULL::text[], NULL::text[], NULL::text[];
    RETURN;
  END IF;
  SELECT count(*) > 0,
    array_agg(q.id::text) FILTER (WHERE q.trigger_id = 'automation_run:' || chosen_run AND q.completed_at IS NULL)
  INTO has_open_steps, own_query_runs
  FROM automation_steps s LEFT JOIN query_runs q ON q.id = s.query_run_id
  WHERE s.run_id = chosen_run AND s.state = 'running';
  IF is_alone AND (own_query_runs IS NOT NULL OR EXISTS (
    SELECT FROM automation_subscribers s
    WHERE s.automation_id = chosen_automation
      AND CASE new_status WHEN 'completed' THEN s.on_summary ELSE s.on_failure END)) THEN
    RETURN QUERY SELECT 'more_to_do', NULL::text[], NULL::text[], NULL::text[], NULL::text[];
    RETURN;
  END IF;

  UPDATE automation_runs r SET status = new_status, summary = new_summary, failure_code = new_failure_code,
    failure_reason = new_failure_reason, completed_at = end_time, revision = r.revision + 1
  WHERE r.id = chosen_run RETURNING * INTO run;
  IF has_open_steps THEN
    UPDATE automation_steps s
    SET state = new_status::text::automation_step_state, ended_at = end_time, revision = run.revision
    WHERE s.run_id = chosen_run AND s.state = 'running';
  END IF;
  IF new_status = 'completed' THEN
    INSERT INTO automation_steps (
      id, organization_id, run_id, name, position, revision, kind, state, text, created_at, ended_at)
    VALUES (
      new_step, run.organization_id, chosen_run, 'summary', run.revision, run.revision, 'message', 'completed', new_summary,
      end_time, end_time)
    ON CONFLICT DO NOTHING;
    -- The results of this run are kept, for the comparison with the next. Those of the run before are the only others:
    -- several are looked at because the clocks of workers differ.
    DELETE FROM automation_results d WHERE d.run_id IN (
      SELECT r.id FROM automation_runs r
      WHERE r.automation_id = chosen_automation AND r.status = 'completed' AND r.id <> chosen_run
      ORDER BY r.completed_at DESC, r.id DESC LIMIT 10);
  ELSE
    DELETE FROM automation_results d WHERE d.run_id = chosen_run;
  END IF;

  IF run.is_trial THEN
    DELETE FROM automation_results d WHERE d.run_id = chosen_run;
  ELSE
    SELECT e.held_endpoints, e.free_endpoints INTO held_endpoints, free_endpoints
    FROM emit_webhook_events(ARRAY[new_event], ARRAY[run.organization_id], ARRAY[event_type], ARRAY[event_body],
      ARRAY['automation_run:' || chosen_run], end_time) e;
  END IF;

  IF run.ready_at IS NOT NULL THEN
    UPDATE automation_runs r SET ready_at = end_time
    WHERE r.id = (
      SELECT u.id FROM automation_runs u WHERE u.automation_id = chosen_automation AND u.status IN ('pending', 'running')
      ORDER BY u.created_at, u.id LIMIT 1)
    RETURNING r.id INTO next_run;
  END IF;
  RETURN QUERY SELECT 'ended', array_remove(ARRAY[chosen_run::text, next_run::text], NULL), own_query_runs,
    end_automation_run.held_endpoints, end_automation_run.free_endpoints;
END $$;

-- A new password ends every link to set one, however it was set.
CREATE OR REPLACE FUNCTION end_password_links() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM verifications WHERE value = NEW.user_id::text;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER accounts_end_password_links AFTER UPDATE OF password ON accounts
  FOR EACH ROW WHEN (OLD.password IS DISTINCT FROM NEW.password)
  EXECUTE FUNCTION end_password_links();

-- Inserts a run with the automation's content as its brief, and the instruction as the first step of its transcript.
-- outcome: created; not_found; paused; unfinished, when the automation refuses a run beside another; queue_full.
CREATE OR REPLACE FUNCTION insert_automation_run(
  chosen_automation uuid, chosen_organization uuid, new_run uuid, new_short_id text, new_step uuid,
  triggered_by text, scheduled_time timestamptz, triggered_at timestamptz, max_queued int
) RETURNS TABLE (outcome text, automation_name text, run_agent text, is_ready boolean) LANGUAGE plpgsql AS $$
DECLARE
  automation automations;
  unfinished int;
BEGIN
  -- Every transaction that starts or ends a run locks the automation first.
  SELECT * INTO automation FROM automations
  WHERE id = chosen_automation AND organization_id = chosen_organization AND deleted_at IS NULL FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    RETURN QUERY SELECT 'not_found', NULL::text, NULL::text, false;
    RETURN;
  END IF;
  IF NOT automation.enabled THEN
    RETURN QUERY SELECT 'paused', NULL::text, NULL::text, false;
    RETURN;
  END IF;
  SELECT count(*) INTO unfinished FROM automation_runs r
  WHERE r.automation_id = chosen_automation AND r.status IN ('pending', 'running');
  IF unfinished > 0 AND automation.when_busy = 'refuse' THEN
    RETURN QUERY SELECT 'unfinished', NULL::text, NULL::text, false;
    RETURN;
  END IF;
  IF unfinished > max_queued THEN
    RETURN QUERY SELECT 'queue_full', NULL::text, NULL::text, false;
    RETURN;
  END IF;

  INSERT INTO automation_runs (
    id, organization_id, automation_id, short_id, agent, trigger_id, scheduled_for, brief, created_at, ready_at, revision)
  VALUES (
    new_run, automation.organization_id, automation.id, new_short_id, automation.agent, triggered_by, scheduled_time,
    jsonb_build_object(
      'name', automation.name, 'instruction', automation.instruction, 'timeLimitSeconds', automation.time_limit_seconds,
      'budget', jsonb_build_object('steps', automation.step_budget, 'tokens', automation.token_budget),
      'allowsSql', automation.allows_sql,
      'references', coalesce((
        SELECT jsonb_agg(jsonb_build_object(
          'id', q.id, 'shortId', q.short_id, 'title', q.title, 'parameterValues', a.parameter_values) ORDER BY a.position)
        FROM automation_references a JOIN query_references q ON q.id = a.reference_id
        WHERE a.automation_id = automation.id), '[]')),
    triggered_at, CASE WHEN unfinished = 0 THEN triggered_at END, 1);
  INSERT INTO automation_steps (
    id, organization_id, run_id, name, position, revision, kind, state, text, created_at, ended_at)
  VALUES (
    new_step, automation.organization_id, new_run, 'instruction', 1, 1, 'message', 'completed', automation.instruction,
    triggered_at, triggered_at);
  RETURN QUERY SELECT 'created', automation.name, automation.agent::text, unfinished = 0;
END $$;

-- Joins the unfinished run of a query with these values, or inserts one. outcome: created; joined; cancelling, when the
-- unfinished run is to end before another can start; changed, when this is not the query's version any more.
--
-- In plpgsql, because every statement of a function sees what was committed before it began: the unfinished run is looked for
-- after the query is locked.
CREATE OR REPLACE FUNCTION join_query_run(
  chosen_query uuid, expected_version int, new_run uuid, triggered_by text, new_values jsonb, new_types jsonb,
  values_hash bytea, new_rendered_sql text, new_statement jsonb, new_time timestamptz, is_alone boolean
) RETURNS TABLE (outcome text, run query_runs) LANGUAGE plpgsql AS $$
DECLARE
  in_organization uuid;
BEGIN
  PERFORM set_config('querybell.notices', CASE WHEN is_alone THEN 'after_commit' ELSE '' END, true);
  SELECT q.organization_id INTO in_organization FROM queries q
  WHERE q.id = chosen_query AND q.version = expected_version AND q.deleted_at IS NULL FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    outcome := 'changed';
    RETURN NEXT;
    RETURN;
  END IF;
  SELECT * INTO run FROM query_runs r
  WHERE r.query_id = chosen_query AND r.parameter_values_hash = values_hash AND r.status IN ('pending', 'running');
  IF FOUND THEN
    outcome := CASE WHEN run.cancel_requested_at IS NULL THEN 'joined' ELSE 'cancelling' END;
  ELSE
    INSERT INTO query_runs (id, organization_id, query_id, query_version, trigger_id, parameter_values, parameter_types,
      parameter_values_hash, rendered_sql, statement, created_at)
    VALUES (new_run, in_organization, chosen_query, expected_version, triggered_by, new_values, new_types,
      values_hash, new_rendered_sql, new_statement, new_time)
    RETURNING * INTO run;
    outcome := 'created';
  END IF;
  RETURN NEXT;
END $$;

-- Keeps a query's statement before a change, whatever changes it, and counts the versions. The last 100 are kept.
CREATE OR REPLACE FUNCTION keep_query_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO query_versions (query_id, version, organization_id, analytical_database_config_id, sql, created_by, created_at)
  VALUES (OLD.id, OLD.version, OLD.organization_id, OLD.analytical_database_config_id, OLD.sql,
    coalesce(OLD.version_by, OLD.created_by), coalesce(OLD.version_at, OLD.created_at));
  DELETE FROM query_versions WHERE query_id = OLD.id AND version <= OLD.version - 100;
  NEW.version := OLD.version + 1;
  RETURN NEW;
END $$;

-- Before the trigger that keeps listed rows: they fire in the order of their names.
CREATE OR REPLACE TRIGGER queries_count_versions BEFORE UPDATE ON queries
  FOR EACH ROW WHEN (OLD.sql <> NEW.sql OR OLD.analytical_database_config_id <> NEW.analytical_database_config_id)
  EXECUTE FUNCTION keep_query_version();

-- Keeps what a listed row was before a change, and the transactions of its changes. A row as of a snapshot s
-- exists if created_xid is visible in s and deleted_xid is not; its values are those of the row itself if
-- changed_xid is visible in s, otherwise those of the version whose changed_xid is and whose replaced_xid is not.
CREATE OR REPLACE FUNCTION keep_row_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.created_xid := OLD.created_xid;
  NEW.changed_xid := pg_current_xact_id();
  NEW.deleted_xid := CASE WHEN NEW.deleted_at IS NULL THEN NULL ELSE coalesce(OLD.deleted_xid, pg_current_xact_id()) END;
  -- What the same transaction wrote before was never seen by anybody.
  IF OLD.changed_xid <> pg_current_xact_id() THEN
    INSERT INTO row_versions (row_id, changed_xid, replaced_xid, replaced_at, row)
    VALUES (OLD.id, OLD.changed_xid, pg_current_xact_id(), querybell_now(), to_jsonb(OLD));
  END IF;
  RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER queries_keep_version BEFORE UPDATE ON queries
  FOR EACH ROW WHEN (OLD.* IS DISTINCT FROM NEW.*)
  EXECUTE FUNCTION keep_row_version();

CREATE OR REPLACE TRIGGER query_references_keep_version BEFORE UPDATE ON query_references
  FOR EACH ROW WHEN (OLD.* IS DISTINCT FROM NEW.*)
  EXECUTE FUNCTION keep_row_version();

-- An organization always has an owner. The lock on its row makes two owners who leave at once take turns,
-- and the second one then sees that the first has gone.
CREATE OR REPLACE FUNCTION members_keep_an_owner() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM organizations WHERE id = OLD.organization_id FOR UPDATE;
  IF FOUND AND NOT EXISTS (SELECT 1 FROM members WHERE organization_id = OLD.organization_id AND role = 'owner') THEN
    RAISE EXCEPTION 'last_owner' USING ERRCODE = 'QB001';
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER members_keep_an_owner AFTER UPDATE OR DELETE ON members
  FOR EACH ROW WHEN (OLD.role = 'owner')
  EXECUTE FUNCTION members_keep_an_owner();

-- The states of a run, and the transactions in which it started and ended.
CREATE OR REPLACE FUNCTION query_runs_hold_states() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    IF NEW.status <> 'pending' THEN
      RAISE EXCEPTION 'a run begins as pending, not as %', NEW.status USING ERRCODE = 'QB002';
    END IF;
    RETURN NEW;
  END IF;
  IF OLD.status IN ('completed', 'failed') THEN
    RAISE EXCEPTION 'run % has ended as % and cannot change', OLD.id, OLD.status USING ERRCODE = 'QB002';
  END IF;
  IF NEW.status = OLD.status THEN
    RETURN NEW;
  END IF;
  IF (OLD.status, NEW.status) NOT IN (
    ('pending', 'running'), ('pending', 'failed'), ('running', 'completed'), ('running', 'failed')) THEN
    RAISE EXCEPTION 'run % cannot go from % to %', OLD.id, OLD.status, NEW.status USING ERRCODE = 'QB002';
  END IF;
  IF NEW.status = 'running' THEN
    NEW.started_xid := pg_current_xact_id();
  ELSE
    NEW.ended_xid := pg_current_xact_id();
  END IF;
  RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER query_runs_hold_states BEFORE INSERT OR UPDATE ON query_runs
  FOR EACH ROW
  EXECUTE FUNCTION query_runs_hold_states();

-- Tells whoever watches a run that there is something new to read.
-- A transaction that sets querybell.notices to 'after_commit' tells them itself once it has committed, because commits that
-- NOTIFY wait for each other.
CREATE OR REPLACE FUNCTION query_runs_tell_watchers() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('querybell_run_changed', NEW.id::text);
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER query_runs_tell_watchers AFTER UPDATE ON query_runs
  FOR EACH ROW WHEN (
    (OLD.status <> NEW.status OR OLD.progress_rows <> NEW.progress_rows
      OR OLD.cancel_requested_at IS DISTINCT FROM NEW.cancel_requested_at)
    AND current_setting('querybell.notices', true) IS DISTINCT FROM 'after_commit')
  EXECUTE FUNCTION query_runs_tell_watchers();

-- Which history the numbers of a snapshot belong to: the cluster, and its timeline, which a failover or a
-- recovery to a point in time changes. A cursor of another one means nothing here.
CREATE OR REPLACE FUNCTION querybell_database_identity() RETURNS text LANGUAGE sql STABLE AS $$
  SELECT system_identifier || '.' || left(pg_walfile_name(pg_current_wal_lsn()), 8) FROM pg_control_system()
$$;

-- An account whose address nobody has proven stays in the organization that invited it, and may create others: it must
-- not appear under that address where another admin expects the address's owner.
CREATE OR REPLACE FUNCTION refuse_unproven_members() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- Waits for a transaction that proves the address.
  PERFORM FROM users WHERE id = NEW.user_id AND NOT email_verified FOR NO KEY UPDATE;
  IF FOUND
    AND EXISTS (SELECT FROM members WHERE user_id = NEW.user_id)
    AND EXISTS (SELECT FROM members WHERE organization_id = NEW.organization_id)
  THEN
    RAISE EXCEPTION 'the address of user % is not proven', NEW.user_id USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER members_refuse_unproven BEFORE INSERT ON members
  FOR EACH ROW
  EXECUTE FUNCTION refuse_unproven_members();

-- Starts the run of a scheduled time, and sets the next one. A time that has its run already is passed over: the clock of a
-- process that saves a schedule can be behind the clock of the database, and then sets the time that has just fired as the
-- next one. Returns the outcome of insert_automation_run; NULL for such a time, or if another worker has it.
CREATE OR REPLACE FUNCTION run_due_automation(
  chosen_automation uuid, expected_schedule jsonb, due_time timestamptz, scheduled_time timestamptz, next_time timestamptz,
  new_run uuid, new_short_id text, new_step uuid, triggered_at timestamptz, max_queued int
) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  in_organization uuid;
  outcome text;
BEGIN
  SELECT organization_id INTO in_organization FROM automations
  WHERE id = chosen_automation AND next_run_at = due_time AND next_run_at <= querybell_now() AND schedule = expected_schedule
  FOR NO KEY UPDATE SKIP LOCKED;
  IF NOT FOUND THEN
    RETURN NULL;
  END IF;
  IF EXISTS (SELECT FROM automation_runs WHERE automation_id = chosen_automation AND scheduled_for = scheduled_time) THEN
    UPDATE automations SET next_run_at = next_time WHERE id = chosen_automation;
    RETURN NULL;
  END IF;
  SELECT i.outcome INTO outcome FROM insert_automation_run(chosen_automation, in_organization, new_run, new_short_id, new_step,
    'schedule', scheduled_time, triggered_at, max_queued) i;
  UPDATE automations SET next_run_at = next_time,
    last_skipped_at = CASE WHEN outcome = 'created' THEN last_skipped_at ELSE scheduled_time END
  WHERE id = chosen_automation;
  RETURN outcome;
END $$;

-- Tells workers that a run waits. The argument of the trigger is the channel.
-- A transaction that sets querybell.notices to 'after_commit' tells them itself once it has committed, because commits that
-- NOTIFY wait for each other.
CREATE OR REPLACE FUNCTION tell_workers() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify(TG_ARGV[0], NEW.id::text);
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER query_runs_tell_workers AFTER INSERT ON query_runs
  FOR EACH ROW WHEN (current_setting('querybell.notices', true) IS DISTINCT FROM 'after_commit')
  EXECUTE FUNCTION tell_workers('querybell_run_waiting');

CREATE OR REPLACE TRIGGER automation_runs_tell_workers AFTER INSERT ON automation_runs
  FOR EACH ROW WHEN (NEW.ready_at IS NOT NULL AND NEW.agent <> 'external')
  EXECUTE FUNCTION tell_workers('querybell_automation_run_waiting');

CREATE OR REPLACE TRIGGER automation_runs_tell_workers_of_turn AFTER UPDATE OF ready_at ON automation_runs
  FOR EACH ROW WHEN (OLD.ready_at IS NULL AND NEW.ready_at IS NOT NULL AND NEW.agent <> 'external')
  EXECUTE FUNCTION tell_workers('querybell_automation_run_waiting');

-- Creates a step, or changes it while its state is running. Raising the run's revision is the fence: only the newest lease
-- writes. outcome: written; unchanged, when the step has ended; claim_lost; other_kind; too_many.
CREATE OR REPLACE FUNCTION write_automation_step(
  chosen_run uuid, chosen_lease int, new_step uuid, step_name text, step_kind automation_step_kind,
  step_state automation_step_state, step_text text, step_tool text, step_input jsonb, step_output jsonb,
  step_query_run uuid, keeps_query_run boolean, written_at timestamptz, max_steps int, is_alone boolean
) RETURNS TABLE (outcome text, step automation_steps) LANGUAGE plpgsql AS $$
DECLARE
  run automation_runs;
BEGIN
  PERFORM set_config('querybell.notices', CASE WHEN is_alone THEN 'after_commit' ELSE '' END, true);
  UPDATE automation_runs r SET revision = r.revision + 1
  WHERE r.id = chosen_run AND r.lease_number = chosen_lease AND r.status = 'running' RETURNING * INTO run;
  IF NOT FOUND THEN
    outcome := 'claim_lost';
    RETURN NEXT;
    RETURN;
  END IF;
  SELECT * INTO step FROM automation_steps s WHERE s.run_id = chosen_run AND s.name = step_name;
  IF FOUND THEN
    IF step.state <> 'running' THEN
      outcome := 'unchanged';
    ELSIF step.kind <> step_kind THEN
      outcome := 'other_kind';
    ELSE
      UPDATE automation_steps s SET state = step_state, text = step_text, tool = coalesce(step_tool, s.tool),
        input = coalesce(step_input, s.input), output = coalesce(step_output, s.output),
        query_run_id = CASE WHEN keeps_query_run THEN s.query_run_id ELSE step_query_run END,
        revision = run.revision, ended_at = CASE WHEN step_state <> 'running' THEN written_at END
      WHERE s.id = step.id RETURNING * INTO step;
      outcome := 'written';
    END IF;
  ELSIF (SELECT count(*) FROM automation_steps s WHERE s.run_id = chosen_run) >= max_steps THEN
    outcome := 'too_many';
  ELSE
    INSERT INTO automation_steps (
      id, organization_id, run_id, name, position, revision, kind, state, text, tool, input, output, query_run_id,
      created_at, ended_at)
    VALUES (
      new_step, run.organization_id, chosen_run, step_name, run.revision, run.revision, step_kind, step_state, step_text,
      step_tool, step_input, step_output, step_query_run,
      written_at, CASE WHEN step_state <> 'running' THEN written_at END)
    RETURNING * INTO step;
    outcome := 'written';
  END IF;
  RETURN NEXT;
END $$;

-- The partitions of the next days.
SELECT create_webhook_attempt_partitions(3);
ANALYZE ONLY "webhook_attempts";
