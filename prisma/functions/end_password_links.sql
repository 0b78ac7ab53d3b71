-- A new password ends every link to set one, however it was set.
CREATE OR REPLACE FUNCTION end_password_links() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM verifications WHERE value = NEW.user_id::text;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER accounts_end_password_links AFTER UPDATE OF password ON accounts
  FOR EACH ROW WHEN (OLD.password IS DISTINCT FROM NEW.password)
  EXECUTE FUNCTION end_password_links();
