-- CreateTable
CREATE TABLE "rest_calls" (
    "key_id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "route" TEXT NOT NULL,
    "last_called_at" TIMESTAMPTZ(3) NOT NULL,
    "retired" BOOLEAN NOT NULL,

    CONSTRAINT "rest_calls_pkey" PRIMARY KEY ("key_id","route")
);

-- CreateIndex
CREATE INDEX "rest_calls_organization_id_last_called_at_idx" ON "rest_calls"("organization_id", "last_called_at" DESC);

-- CreateIndex
CREATE INDEX "audit_entries_organization_id_actor_user_id_id_idx" ON "audit_entries"("organization_id", "actor_user_id", "id" DESC);

-- CreateIndex
CREATE INDEX "audit_entries_organization_id_action_id_idx" ON "audit_entries"("organization_id", "action", "id" DESC);

-- AddForeignKey
ALTER TABLE "rest_calls" ADD CONSTRAINT "rest_calls_key_id_fkey" FOREIGN KEY ("key_id") REFERENCES "api_keys"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "rest_calls" ADD CONSTRAINT "rest_calls_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;
