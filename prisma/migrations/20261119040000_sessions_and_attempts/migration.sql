-- CreateEnum
CREATE TYPE "second_factor_for" AS ENUM ('nobody', 'admins', 'everybody');

-- AlterTable
ALTER TABLE "organizations" ADD COLUMN     "second_factor_for" "second_factor_for" NOT NULL DEFAULT 'nobody';

-- AlterTable
ALTER TABLE "sessions" ADD COLUMN     "last_used_at" TIMESTAMPTZ(3),
ADD COLUMN     "second_factor_at" TIMESTAMPTZ(3);

-- CreateTable
CREATE TABLE "sign_in_limits" (
    "subject" BYTEA NOT NULL,
    "attempts" INTEGER NOT NULL,
    "window_ends_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "sign_in_limits_pkey" PRIMARY KEY ("subject")
);

-- CreateTable
CREATE TABLE "failed_sign_ins" (
    "user_id" UUID NOT NULL,
    "count" INTEGER NOT NULL,
    "first_at" TIMESTAMPTZ(3) NOT NULL,
    "last_at" TIMESTAMPTZ(3) NOT NULL,
    "last_address" TEXT,
    "last_user_agent" TEXT,

    CONSTRAINT "failed_sign_ins_pkey" PRIMARY KEY ("user_id")
);

-- CreateTable
CREATE TABLE "totp_factors" (
    "user_id" UUID NOT NULL,
    "sealed_secret" TEXT NOT NULL,
    "last_used_step" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "confirmed_at" TIMESTAMPTZ(3),

    CONSTRAINT "totp_factors_pkey" PRIMARY KEY ("user_id")
);

-- CreateTable
CREATE TABLE "passkeys" (
    "id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "credential_id" TEXT NOT NULL,
    "public_key" BYTEA NOT NULL,
    "counter" BIGINT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "last_used_at" TIMESTAMPTZ(3),

    CONSTRAINT "passkeys_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "recovery_codes" (
    "id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "code_hash" BYTEA NOT NULL,

    CONSTRAINT "recovery_codes_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "factor_resets" (
    "user_id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "requested_by" UUID NOT NULL,
    "requested_at" TIMESTAMPTZ(3) NOT NULL,
    "effective_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "factor_resets_pkey" PRIMARY KEY ("user_id")
);

-- CreateTable
CREATE TABLE "sign_in_requests" (
    "id" UUID NOT NULL,
    "token_hash" BYTEA NOT NULL,
    "user_id" UUID,
    "sealed" TEXT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "sign_in_requests_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "sign_in_limits_window_ends_at_idx" ON "sign_in_limits"("window_ends_at");

-- CreateIndex
CREATE UNIQUE INDEX "passkeys_credential_id_key" ON "passkeys"("credential_id");

-- CreateIndex
CREATE INDEX "passkeys_user_id_idx" ON "passkeys"("user_id");

-- CreateIndex
CREATE UNIQUE INDEX "recovery_codes_user_id_code_hash_key" ON "recovery_codes"("user_id", "code_hash");

-- CreateIndex
CREATE UNIQUE INDEX "factor_resets_organization_id_user_id_key" ON "factor_resets"("organization_id", "user_id");

-- CreateIndex
CREATE UNIQUE INDEX "sign_in_requests_token_hash_key" ON "sign_in_requests"("token_hash");

-- CreateIndex
CREATE INDEX "sign_in_requests_user_id_idx" ON "sign_in_requests"("user_id");

-- CreateIndex
CREATE INDEX "sign_in_requests_expires_at_idx" ON "sign_in_requests"("expires_at");

-- AddForeignKey
ALTER TABLE "failed_sign_ins" ADD CONSTRAINT "failed_sign_ins_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "totp_factors" ADD CONSTRAINT "totp_factors_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "passkeys" ADD CONSTRAINT "passkeys_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "recovery_codes" ADD CONSTRAINT "recovery_codes_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "factor_resets" ADD CONSTRAINT "factor_resets_organization_id_user_id_fkey" FOREIGN KEY ("organization_id", "user_id") REFERENCES "members"("organization_id", "user_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "factor_resets" ADD CONSTRAINT "factor_resets_requested_by_fkey" FOREIGN KEY ("requested_by") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "sign_in_requests" ADD CONSTRAINT "sign_in_requests_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Why a session does not open an organization of its person: null if it does. Everything that reads what a session may do
-- asks here.
CREATE OR REPLACE FUNCTION session_blocked_by(chosen_session uuid, chosen_organization uuid, member_role role)
RETURNS text LANGUAGE sql STABLE AS $$
  SELECT CASE
    WHEN s.second_factor_at IS NULL
      AND (o.second_factor_for = 'everybody' OR o.second_factor_for = 'admins' AND member_role IN ('owner', 'admin'))
      THEN 'second_factor'
  END
  FROM sessions s, organizations o WHERE s.id = chosen_session AND o.id = chosen_organization
$$;
