-- AlterEnum
ALTER TYPE "automation_agent" ADD VALUE 'model';

-- AlterTable
ALTER TABLE "automation_runs" ADD COLUMN     "input_tokens" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "model_calls" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "output_tokens" INTEGER NOT NULL DEFAULT 0;

-- AlterTable
ALTER TABLE "automations" ADD COLUMN     "step_budget" INTEGER NOT NULL DEFAULT 30,
ADD COLUMN     "token_budget" INTEGER NOT NULL DEFAULT 100000;

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

-- CreateIndex
CREATE INDEX "model_settings_consented_by_idx" ON "model_settings"("consented_by");

-- AddForeignKey
ALTER TABLE "model_settings" ADD CONSTRAINT "model_settings_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "model_settings" ADD CONSTRAINT "model_settings_consented_by_fkey" FOREIGN KEY ("consented_by") REFERENCES "users"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "model_usage" ADD CONSTRAINT "model_usage_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- From here on by hand: what Prisma's language cannot say.

ALTER TABLE "automations" ADD CONSTRAINT "automations_budget" CHECK ("step_budget" > 0 AND "token_budget" > 0);
ALTER TABLE "automation_runs" ADD CONSTRAINT "automation_runs_usage" CHECK ("model_calls" >= 0 AND "input_tokens" >= 0 AND "output_tokens" >= 0);
ALTER TABLE "model_settings" ADD CONSTRAINT "model_settings_connection" CHECK (("url" IS NULL) = ("name" IS NULL) AND ("sealed_api_key" IS NULL OR "url" IS NOT NULL) AND "monthly_tokens" >= 0);
ALTER TABLE "model_usage" ADD CONSTRAINT "model_usage_tokens" CHECK ("tokens" >= 0 AND extract(day FROM "month") = 1);
