-- AlterTable
ALTER TABLE "audit_entries" ADD COLUMN     "key_id" UUID;

-- CreateTable
CREATE TABLE "audit_people" (
    "id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "email" TEXT NOT NULL,

    CONSTRAINT "audit_people_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "audit_people_email_idx" ON "audit_people"("email");

-- CreateIndex
CREATE UNIQUE INDEX "audit_people_organization_id_email_key" ON "audit_people"("organization_id", "email");

-- CreateIndex
CREATE INDEX "audit_entries_organization_id_target_id_id_idx" ON "audit_entries"("organization_id", "target_id", "id" DESC);

-- AddForeignKey
ALTER TABLE "audit_people" ADD CONSTRAINT "audit_people_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Entries of before: their addresses move to audit_people. The trigger that keeps entries from being edited would refuse it.
INSERT INTO audit_people (id, organization_id, email)
SELECT gen_random_uuid(), organization_id, email
FROM (SELECT DISTINCT organization_id, detail->>'email' AS email FROM audit_entries
      WHERE jsonb_typeof(detail->'email') = 'string') named;

ALTER TABLE audit_entries DISABLE TRIGGER audit_entries_refuse_change;
UPDATE audit_entries e SET detail = e.detail - 'email' || jsonb_build_object('personId', p.id)
FROM audit_people p
WHERE jsonb_typeof(e.detail->'email') = 'string' AND p.organization_id = e.organization_id AND p.email = e.detail->>'email';
ALTER TABLE audit_entries ENABLE TRIGGER audit_entries_refuse_change;

-- Sends each entry to the endpoints that ask for it. They are not woken: a pump finds the delivery within a second or two.
CREATE OR REPLACE FUNCTION audit_entries_emit_event() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  event uuid;
  created_at text := to_char(NEW.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');
BEGIN
  IF NOT EXISTS (
    SELECT FROM webhook_endpoints
    WHERE organization_id = NEW.organization_id AND state <> 'deleted' AND 'audit.entry.created' = ANY(event_types)
  ) THEN
    RETURN NULL;
  END IF;
  event := uuidv7(querybell_now() - now());
  PERFORM emit_webhook_events(
    ARRAY[event], ARRAY[NEW.organization_id], ARRAY['audit.entry.created'],
    ARRAY[convert_to(json_build_object(
      'id', event, 'type', 'audit.entry.created', 'createdAt', created_at,
      'data', json_build_object(
        'entryId', NEW.id, 'action', NEW.action, 'byOperator', NEW.actor_user_id IS NULL, 'userId', NEW.actor_user_id,
        'keyId', NEW.key_id, 'targetId', NEW.target_id, 'detail', NEW.detail))::text, 'UTF8')],
    ARRAY['audit_entry:' || NEW.id], NEW.at);
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER audit_entries_emit_event AFTER INSERT ON audit_entries
  FOR EACH ROW
  EXECUTE FUNCTION audit_entries_emit_event();

-- An entry names a person by an id only: addresses are in audit_people, where they can be erased.
CREATE OR REPLACE FUNCTION audit_entries_keep_people() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  person uuid;
BEGIN
  INSERT INTO audit_people (id, organization_id, email)
  VALUES (gen_random_uuid(), NEW.organization_id, NEW.detail->>'email')
  ON CONFLICT (organization_id, email) DO UPDATE SET email = EXCLUDED.email
  RETURNING id INTO person;
  NEW.detail := NEW.detail - 'email' || jsonb_build_object('personId', person);
  RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER audit_entries_keep_people BEFORE INSERT ON audit_entries
  FOR EACH ROW WHEN (jsonb_typeof(NEW.detail->'email') = 'string')
  EXECUTE FUNCTION audit_entries_keep_people();
