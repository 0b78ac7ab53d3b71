-- AlterTable
ALTER TABLE "users" ADD COLUMN     "disabled_at" TIMESTAMPTZ(3);

-- While the operator keeps a person out, nothing begins with which they could get in.
CREATE OR REPLACE FUNCTION refuse_disabled_people() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  since timestamptz;
BEGIN
  -- Waits for a transaction that disables the person. If that one waits for this one, it then finds the new row.
  SELECT disabled_at INTO since FROM users WHERE id = NEW.user_id FOR SHARE;
  IF since IS NOT NULL THEN
    RAISE EXCEPTION 'user % is disabled', NEW.user_id USING ERRCODE = 'QB010';
  END IF;
  RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER sessions_refuse_disabled BEFORE INSERT ON sessions
  FOR EACH ROW
  EXECUTE FUNCTION refuse_disabled_people();

CREATE OR REPLACE TRIGGER api_keys_refuse_disabled BEFORE INSERT ON api_keys
  FOR EACH ROW
  EXECUTE FUNCTION refuse_disabled_people();
