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
