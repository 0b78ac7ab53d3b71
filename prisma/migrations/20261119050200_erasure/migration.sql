-- CreateIndex
CREATE INDEX "invitations_email_idx" ON "invitations"("email");

-- AlterTable
ALTER TABLE "users" ADD COLUMN     "erased_at" TIMESTAMPTZ(3);

-- CreateTable
CREATE TABLE "organization_deletions" (
    "organization_id" UUID NOT NULL,
    "requested_by" UUID,
    "requested_at" TIMESTAMPTZ(3) NOT NULL,
    "due_at" TIMESTAMPTZ(3) NOT NULL,
    "started_at" TIMESTAMPTZ(3),

    CONSTRAINT "organization_deletions_pkey" PRIMARY KEY ("organization_id")
);

-- CreateIndex
CREATE INDEX "organization_deletions_due_at_idx" ON "organization_deletions"("due_at");

-- CreateIndex
CREATE INDEX "organization_deletions_requested_by_idx" ON "organization_deletions"("requested_by");

-- AddForeignKey
ALTER TABLE "organization_deletions" ADD CONSTRAINT "organization_deletions_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "organization_deletions" ADD CONSTRAINT "organization_deletions_requested_by_fkey" FOREIGN KEY ("requested_by") REFERENCES "users"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- What the audit log says cannot be changed. Its entries go with their organization, or after a retention period of at
-- least 90 days.
CREATE OR REPLACE FUNCTION audit_entries_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' AND (
    OLD.at < querybell_now() - interval '90 days'
    OR NOT EXISTS (SELECT 1 FROM organizations WHERE id = OLD.organization_id)
    OR EXISTS (
      SELECT 1 FROM organization_deletions WHERE organization_id = OLD.organization_id AND started_at IS NOT NULL)
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

-- An organization always has an owner, until its deletion begins. The lock on its row makes two owners who leave at once
-- take turns, and the second one then sees that the first has gone.
CREATE OR REPLACE FUNCTION members_keep_an_owner() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM organizations WHERE id = OLD.organization_id FOR UPDATE;
  IF FOUND
    AND NOT EXISTS (SELECT 1 FROM members WHERE organization_id = OLD.organization_id AND role = 'owner')
    AND NOT EXISTS (
      SELECT 1 FROM organization_deletions WHERE organization_id = OLD.organization_id AND started_at IS NOT NULL)
  THEN
    RAISE EXCEPTION 'last_owner' USING ERRCODE = 'QB001';
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER members_keep_an_owner AFTER UPDATE OR DELETE ON members
  FOR EACH ROW WHEN (OLD.role = 'owner')
  EXECUTE FUNCTION members_keep_an_owner();
