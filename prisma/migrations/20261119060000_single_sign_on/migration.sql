-- AlterTable
ALTER TABLE "sessions" ADD COLUMN     "identity_provider_id" UUID,
ADD COLUMN     "only_organization_id" UUID,
ADD COLUMN     "sealed_sign_out_url" TEXT;

-- CreateTable
CREATE TABLE "identity_providers" (
    "id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "issuer" TEXT NOT NULL,
    "client_id" TEXT NOT NULL,
    "sealed_client_secret" TEXT NOT NULL,
    "default_role" "role" NOT NULL DEFAULT 'member',
    "groups_claim" TEXT NOT NULL,
    "admin_groups" TEXT[],
    "enforced" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "identity_providers_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "organization_domains" (
    "id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "domain" TEXT NOT NULL,
    "token" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "proven_at" TIMESTAMPTZ(3),

    CONSTRAINT "organization_domains_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "scim_tokens" (
    "organization_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "token_hash" BYTEA NOT NULL,
    "created_by" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "last_used_at" TIMESTAMPTZ(3),

    CONSTRAINT "scim_tokens_pkey" PRIMARY KEY ("organization_id")
);

-- CreateTable
CREATE TABLE "scim_users" (
    "id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "user_name" TEXT NOT NULL,
    "user_name_key" TEXT NOT NULL,
    "email" TEXT NOT NULL,
    "external_id" TEXT,
    "display_name" TEXT,
    "given_name" TEXT,
    "family_name" TEXT,
    "active" BOOLEAN NOT NULL,
    "user_id" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "scim_users_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "scim_groups" (
    "id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "display_name" TEXT NOT NULL,
    "external_id" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "scim_groups_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "scim_group_members" (
    "group_id" UUID NOT NULL,
    "scim_user_id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,

    CONSTRAINT "scim_group_members_pkey" PRIMARY KEY ("group_id","scim_user_id")
);

-- CreateIndex
CREATE UNIQUE INDEX "identity_providers_organization_id_key" ON "identity_providers"("organization_id");

-- CreateIndex
CREATE INDEX "organization_domains_domain_idx" ON "organization_domains"("domain");

-- CreateIndex
CREATE UNIQUE INDEX "organization_domains_organization_id_domain_key" ON "organization_domains"("organization_id", "domain");

-- CreateIndex
CREATE UNIQUE INDEX "scim_tokens_id_key" ON "scim_tokens"("id");

-- CreateIndex
CREATE UNIQUE INDEX "scim_tokens_token_hash_key" ON "scim_tokens"("token_hash");

-- CreateIndex
CREATE INDEX "scim_users_organization_id_external_id_idx" ON "scim_users"("organization_id", "external_id");

-- CreateIndex
CREATE INDEX "scim_users_organization_id_email_idx" ON "scim_users"("organization_id", "email");

-- CreateIndex
CREATE INDEX "scim_users_user_id_idx" ON "scim_users"("user_id");

-- CreateIndex
CREATE UNIQUE INDEX "scim_users_organization_id_user_name_key_key" ON "scim_users"("organization_id", "user_name_key");

-- CreateIndex
CREATE UNIQUE INDEX "scim_users_organization_id_id_key" ON "scim_users"("organization_id", "id");

-- CreateIndex
CREATE INDEX "scim_groups_organization_id_external_id_idx" ON "scim_groups"("organization_id", "external_id");

-- CreateIndex
CREATE UNIQUE INDEX "scim_groups_organization_id_id_key" ON "scim_groups"("organization_id", "id");

-- CreateIndex
CREATE INDEX "scim_group_members_scim_user_id_idx" ON "scim_group_members"("scim_user_id");

-- CreateIndex
CREATE INDEX "sessions_only_organization_id_idx" ON "sessions"("only_organization_id");

-- CreateIndex
CREATE INDEX "sessions_identity_provider_id_idx" ON "sessions"("identity_provider_id");

-- AddForeignKey
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_only_organization_id_fkey" FOREIGN KEY ("only_organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_identity_provider_id_fkey" FOREIGN KEY ("identity_provider_id") REFERENCES "identity_providers"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "identity_providers" ADD CONSTRAINT "identity_providers_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "organization_domains" ADD CONSTRAINT "organization_domains_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "scim_tokens" ADD CONSTRAINT "scim_tokens_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "scim_tokens" ADD CONSTRAINT "scim_tokens_created_by_fkey" FOREIGN KEY ("created_by") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "scim_users" ADD CONSTRAINT "scim_users_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "scim_users" ADD CONSTRAINT "scim_users_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "scim_groups" ADD CONSTRAINT "scim_groups_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "scim_group_members" ADD CONSTRAINT "scim_group_members_organization_id_group_id_fkey" FOREIGN KEY ("organization_id", "group_id") REFERENCES "scim_groups"("organization_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "scim_group_members" ADD CONSTRAINT "scim_group_members_organization_id_scim_user_id_fkey" FOREIGN KEY ("organization_id", "scim_user_id") REFERENCES "scim_users"("organization_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Why a session does not open an organization of its person: null if it does. Everything that reads what a session may do
-- asks here.
CREATE OR REPLACE FUNCTION session_blocked_by(chosen_session uuid, chosen_organization uuid, member_role role)
RETURNS text LANGUAGE sql STABLE AS $$
  SELECT CASE
    -- An organization's provider opens only that organization.
    WHEN s.only_organization_id <> chosen_organization THEN 'other_organization'
    WHEN s.only_organization_id IS NULL
      AND EXISTS (SELECT FROM identity_providers p WHERE p.organization_id = o.id AND p.enforced)
      THEN 'single_sign_on'
    WHEN s.second_factor_at IS NULL
      AND (o.second_factor_for = 'everybody' OR o.second_factor_for = 'admins' AND member_role IN ('owner', 'admin'))
      THEN 'second_factor'
  END
  FROM sessions s, organizations o WHERE s.id = chosen_session AND o.id = chosen_organization
$$;
