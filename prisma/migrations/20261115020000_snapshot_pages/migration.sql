-- AlterTable
ALTER TABLE "organizations" ADD COLUMN     "rest_sunset_at" TIMESTAMPTZ(3);

-- CreateTable
CREATE TABLE "transaction_origin" (
    "system_identifier" TEXT NOT NULL,

    CONSTRAINT "transaction_origin_pkey" PRIMARY KEY ("system_identifier")
);

-- From here on by hand: what Prisma's language cannot say.

CREATE UNIQUE INDEX "transaction_origin_one_row" ON "transaction_origin" ((true));

-- Which history the numbers of a snapshot belong to: the cluster, and its timeline, which a failover or a
-- recovery to a point in time changes. A cursor of another one means nothing here.
CREATE FUNCTION "querybell_database_identity"() RETURNS text LANGUAGE sql STABLE AS $$
  SELECT system_identifier || '.' || left(pg_walfile_name(pg_current_wal_lsn()), 8) FROM pg_control_system()
$$;
