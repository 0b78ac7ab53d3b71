-- CreateEnum
CREATE TYPE "embed_page_state" AS ENUM ('requested', 'running', 'ready', 'failed');

-- AlterTable
ALTER TABLE "organizations" ADD COLUMN     "embedding" BOOLEAN NOT NULL DEFAULT false;

-- CreateTable
CREATE TABLE "embedding_keys" (
    "id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "public_key" TEXT NOT NULL,
    "service_account_id" UUID NOT NULL,
    "origins" TEXT[],
    "cache_minutes" INTEGER NOT NULL,
    "created_by" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "last_used_at" TIMESTAMPTZ(3),

    CONSTRAINT "embedding_keys_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "embed_sessions" (
    "token_hash" BYTEA NOT NULL,
    "organization_id" UUID NOT NULL,
    "key_id" UUID NOT NULL,
    "scope_hash" BYTEA NOT NULL,
    "token" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "embed_sessions_pkey" PRIMARY KEY ("token_hash")
);

-- CreateTable
CREATE TABLE "embed_pages" (
    "id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "key_id" UUID NOT NULL,
    "scope_hash" BYTEA NOT NULL,
    "values_hash" BYTEA NOT NULL,
    "filter_values" JSONB NOT NULL,
    "session_hash" BYTEA NOT NULL,
    "token" TEXT,
    "state" "embed_page_state" NOT NULL,
    "requested_at" TIMESTAMPTZ(3) NOT NULL,
    "run_ids" UUID[],
    "made_at" TIMESTAMPTZ(3),
    "version" UUID,
    "content" JSONB,
    "failure" TEXT,

    CONSTRAINT "embed_pages_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "embed_files" (
    "page_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "organization_id" UUID NOT NULL,
    "bytes" BYTEA NOT NULL,

    CONSTRAINT "embed_files_pkey" PRIMARY KEY ("page_id","name")
);

-- CreateIndex
CREATE INDEX "embedding_keys_organization_id_created_at_id_idx" ON "embedding_keys"("organization_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "embed_sessions_key_id_created_at_idx" ON "embed_sessions"("key_id", "created_at");

-- CreateIndex
CREATE INDEX "embed_sessions_organization_id_idx" ON "embed_sessions"("organization_id");

-- CreateIndex
CREATE INDEX "embed_sessions_expires_at_idx" ON "embed_sessions"("expires_at");

-- CreateIndex
CREATE INDEX "embed_pages_organization_id_requested_at_idx" ON "embed_pages"("organization_id", "requested_at");

-- CreateIndex
CREATE INDEX "embed_pages_session_hash_requested_at_idx" ON "embed_pages"("session_hash", "requested_at");

-- CreateIndex
CREATE INDEX "embed_pages_requested_at_idx" ON "embed_pages"("requested_at");

-- CreateIndex
CREATE UNIQUE INDEX "embed_pages_key_id_values_hash_key" ON "embed_pages"("key_id", "values_hash");

-- CreateIndex
CREATE INDEX "embed_files_organization_id_idx" ON "embed_files"("organization_id");

-- AddForeignKey
ALTER TABLE "embedding_keys" ADD CONSTRAINT "embedding_keys_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "embedding_keys" ADD CONSTRAINT "embedding_keys_service_account_id_fkey" FOREIGN KEY ("service_account_id") REFERENCES "users"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "embedding_keys" ADD CONSTRAINT "embedding_keys_created_by_fkey" FOREIGN KEY ("created_by") REFERENCES "users"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "embed_sessions" ADD CONSTRAINT "embed_sessions_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "embed_sessions" ADD CONSTRAINT "embed_sessions_key_id_fkey" FOREIGN KEY ("key_id") REFERENCES "embedding_keys"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "embed_pages" ADD CONSTRAINT "embed_pages_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "embed_pages" ADD CONSTRAINT "embed_pages_key_id_fkey" FOREIGN KEY ("key_id") REFERENCES "embedding_keys"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "embed_files" ADD CONSTRAINT "embed_files_page_id_fkey" FOREIGN KEY ("page_id") REFERENCES "embed_pages"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "embed_files" ADD CONSTRAINT "embed_files_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "embedding_keys" ADD CONSTRAINT "embedding_keys_cache_minutes" CHECK ("cache_minutes" BETWEEN 1 AND 60);

ALTER TABLE "embedding_keys" ADD CONSTRAINT "embedding_keys_origins" CHECK (cardinality("origins") > 0);

-- The session of a frame with this hash of its token, if it may be shown now. The public role has no right to call it.
CREATE OR REPLACE FUNCTION current_embed_session(chosen_hash bytea) RETURNS SETOF embed_sessions
LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN QUERY SELECT s.* FROM public.embed_sessions s
  WHERE s.token_hash = chosen_hash AND s.expires_at > public.querybell_now()
    AND EXISTS (SELECT FROM public.current_embedding_key(s.key_id));
END $$;

REVOKE EXECUTE ON FUNCTION current_embed_session(bytea) FROM PUBLIC;

-- The embedding key with this id, if its tokens count now. The public role has no right to call it.
CREATE OR REPLACE FUNCTION current_embedding_key(chosen_key uuid) RETURNS SETOF embedding_keys
LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN QUERY SELECT k.* FROM public.embedding_keys k
    JOIN public.organizations o ON o.id = k.organization_id
    JOIN public.members m ON m.organization_id = k.organization_id AND m.user_id = k.service_account_id
    JOIN public.users u ON u.id = k.service_account_id
  WHERE k.id = chosen_key AND o.embedding AND u.disabled_at IS NULL
    AND NOT EXISTS (
      SELECT FROM public.organization_deletions e
      WHERE e.organization_id = k.organization_id AND e.started_at IS NOT NULL);
END $$;

REVOKE EXECUTE ON FUNCTION current_embedding_key(uuid) FROM PUBLIC;

-- For the public process: what the frame behind an address may show, and which sites may show the frame.
CREATE OR REPLACE FUNCTION find_embed_session(chosen_hash bytea)
RETURNS TABLE (token text, origins text[])
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT s.token, k.origins
  FROM public.current_embed_session(chosen_hash) s JOIN public.embedding_keys k ON k.id = s.key_id
$$;

REVOKE EXECUTE ON FUNCTION find_embed_session(bytea) FROM PUBLIC;

-- For the public process: the key that verifies a token. It is public, and signs nothing.
CREATE OR REPLACE FUNCTION find_embedding_key(chosen_key uuid) RETURNS TABLE (public_key text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT k.public_key FROM public.current_embedding_key(chosen_key) k
$$;

REVOKE EXECUTE ON FUNCTION find_embedding_key(uuid) FROM PUBLIC;

-- Gives the role of the public process all that it may do, if there is such a role. Executed after every migration.
CREATE OR REPLACE FUNCTION grant_public_role() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'querybell_public') THEN
    RETURN;
  END IF;
  GRANT USAGE ON SCHEMA public TO querybell_public;
  GRANT EXECUTE ON FUNCTION public.find_published_page(bytea), public.read_published_page(bytea),
    public.read_published_file(bytea, text), public.count_page_views(bytea[], int[]),
    public.find_embedding_key(uuid), public.open_embed_session(uuid, text, bytea, bytea, text, timestamptz),
    public.find_embed_session(bytea), public.request_embed_page(bytea, bytea, jsonb),
    public.read_embed_page(bytea, uuid), public.read_embed_file(bytea, uuid, text) TO querybell_public;
END $$;

-- For the public process: exchanges a verified token for an address, which is stored as a hash. outcome: opened; limited, when
-- too many were opened with this key in the last minute; refused, when the key does not count any more, or is another one than
-- that which verified the token. Whoever makes a page verifies the token again, so a session with another one shows nothing.
CREATE OR REPLACE FUNCTION open_embed_session(
  chosen_key uuid, verified_by text, new_hash bytea, new_scope bytea, new_token text, new_expiry timestamptz
) RETURNS text LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  key public.embedding_keys;
  moment CONSTANT timestamptz := public.querybell_now();
BEGIN
  -- Waits for whoever replaces the key: they delete the sessions of the one before.
  PERFORM FROM public.embedding_keys k WHERE k.id = chosen_key FOR NO KEY UPDATE;
  SELECT * INTO key FROM public.current_embedding_key(chosen_key);
  IF key.id IS NULL OR key.public_key IS DISTINCT FROM verified_by OR new_expiry > moment + interval '1 day 1 minute' THEN
    RETURN 'refused';
  END IF;
  IF (SELECT count(*) FROM public.embed_sessions s
      WHERE s.key_id = key.id AND s.created_at > moment - interval '1 minute') >= 1000 THEN
    RETURN 'limited';
  END IF;
  INSERT INTO public.embed_sessions (token_hash, organization_id, key_id, scope_hash, token, created_at, expires_at)
  VALUES (new_hash, key.organization_id, key.id, new_scope, new_token, moment, new_expiry);
  UPDATE public.embedding_keys k SET last_used_at = moment
  WHERE k.id = key.id AND (k.last_used_at IS NULL OR k.last_used_at < moment - interval '1 minute');
  RETURN 'opened';
END $$;

REVOKE EXECUTE ON FUNCTION open_embed_session(uuid, text, bytea, bytea, text, timestamptz) FROM PUBLIC;

-- For the public process: a picture of a page of a session.
CREATE OR REPLACE FUNCTION read_embed_file(chosen_hash bytea, chosen_page uuid, chosen_name text)
RETURNS TABLE (version uuid, bytes bytea)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT p.version, f.bytes
  FROM public.current_embed_session(chosen_hash) s
    JOIN public.embed_pages p ON p.key_id = s.key_id AND p.scope_hash = s.scope_hash
    JOIN public.embed_files f ON f.page_id = p.id
  WHERE p.id = chosen_page AND f.name = chosen_name
$$;

REVOKE EXECUTE ON FUNCTION read_embed_file(bytea, uuid, text) FROM PUBLIC;

-- For the public process: the content of a page of a session.
CREATE OR REPLACE FUNCTION read_embed_page(chosen_hash bytea, chosen_page uuid)
RETURNS TABLE (version uuid, content jsonb)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT p.version, p.content
  FROM public.current_embed_session(chosen_hash) s
    JOIN public.embed_pages p ON p.key_id = s.key_id AND p.scope_hash = s.scope_hash
  WHERE p.id = chosen_page AND p.content IS NOT NULL
$$;

REVOKE EXECUTE ON FUNCTION read_embed_page(bytea, uuid) FROM PUBLIC;

-- For the public process: the page of a session for these values, which a job makes unless it is there. Called again while
-- somebody waits: then it also notices that the runs have ended, and lets a job draw them. No row: the session does not count.
-- State limited: too many pages were asked for in the last minute, by this session or in the organization.
CREATE OR REPLACE FUNCTION request_embed_page(chosen_hash bytea, chosen_values_hash bytea, chosen_values jsonb)
RETURNS TABLE (page_id uuid, state text, version uuid, failure text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  session public.embed_sessions;
  page public.embed_pages;
  moment CONSTANT timestamptz := public.querybell_now();
  max_age interval;
  has_ended boolean := false;
BEGIN
  SELECT * INTO session FROM public.current_embed_session(chosen_hash);
  IF session.key_id IS NULL THEN
    RETURN;
  END IF;
  SELECT make_interval(mins => k.cache_minutes) INTO max_age FROM public.embedding_keys k WHERE k.id = session.key_id;
  SELECT * INTO page FROM public.embed_pages p
  WHERE p.key_id = session.key_id AND p.values_hash = chosen_values_hash AND p.scope_hash = session.scope_hash;
  IF page.state = 'running' THEN
    has_ended := NOT EXISTS (
      SELECT FROM public.query_runs r WHERE r.id = ANY (page.run_ids) AND r.status IN ('pending', 'running'));
  END IF;
  IF page.id IS NOT NULL AND (CASE page.state
      WHEN 'ready' THEN page.made_at > moment - max_age
      WHEN 'failed' THEN page.made_at > moment - interval '30 seconds'
      WHEN 'running' THEN NOT has_ended
      -- The job may have failed too often.
      ELSE page.requested_at > moment - interval '5 minutes' END) THEN
    RETURN QUERY SELECT page.id, page.state::text, page.version, page.failure;
    RETURN;
  END IF;
  IF NOT has_ended AND (
    (SELECT count(*) FROM public.embed_pages p
     WHERE p.session_hash = session.token_hash AND p.requested_at > moment - interval '1 minute') >= 30
    OR (SELECT count(*) FROM public.embed_pages p
        WHERE p.organization_id = session.organization_id AND p.requested_at > moment - interval '1 minute') >= 120) THEN
    RETURN QUERY SELECT NULL::uuid, 'limited', NULL::uuid, NULL::text;
    RETURN;
  END IF;
  IF has_ended THEN
    -- Unless another request has done so meanwhile.
    UPDATE public.embed_pages p SET state = 'requested', requested_at = moment
    WHERE p.id = page.id AND p.state = 'running' RETURNING * INTO page;
  ELSE
    INSERT INTO public.embed_pages AS p (id, organization_id, key_id, scope_hash, values_hash, filter_values, session_hash,
      token, state, requested_at, run_ids)
    VALUES (gen_random_uuid(), session.organization_id, session.key_id, session.scope_hash, chosen_values_hash,
      chosen_values, session.token_hash, session.token, 'requested', moment, '{}')
    ON CONFLICT (key_id, values_hash) DO UPDATE SET state = 'requested', requested_at = moment, token = EXCLUDED.token,
      session_hash = EXCLUDED.session_hash, filter_values = EXCLUDED.filter_values, run_ids = '{}'
    WHERE p.scope_hash = EXCLUDED.scope_hash AND p.state = page.state AND p.requested_at = page.requested_at
    RETURNING * INTO page;
  END IF;
  IF page.id IS NULL THEN
    RETURN QUERY SELECT NULL::uuid, 'requested', NULL::uuid, NULL::text;
    RETURN;
  END IF;
  -- One after the other in each organization, so that one with many frames does not keep others waiting.
  PERFORM graphile_worker.add_job('make_embed_page', json_build_object('pageId', page.id), max_attempts => 3,
    queue_name => 'embed ' || page.organization_id, job_key => 'make_embed_page ' || page.id);
  RETURN QUERY SELECT page.id, page.state::text, page.version, page.failure;
END $$;

REVOKE EXECUTE ON FUNCTION request_embed_page(bytea, bytea, jsonb) FROM PUBLIC;
