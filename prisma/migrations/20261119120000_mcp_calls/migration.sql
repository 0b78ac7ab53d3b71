-- CreateTable
CREATE TABLE "mcp_calls" (
    "id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "key_id" UUID NOT NULL,
    "tool" TEXT NOT NULL,
    "error_code" TEXT,
    "row_count" INTEGER,
    "duration_ms" INTEGER NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "mcp_calls_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "mcp_calls_organization_id_id_idx" ON "mcp_calls"("organization_id", "id" DESC);

-- CreateIndex
CREATE INDEX "mcp_calls_key_id_idx" ON "mcp_calls"("key_id");

-- AddForeignKey
ALTER TABLE "mcp_calls" ADD CONSTRAINT "mcp_calls_key_id_fkey" FOREIGN KEY ("key_id") REFERENCES "api_keys"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "mcp_calls" ADD CONSTRAINT "mcp_calls_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;
