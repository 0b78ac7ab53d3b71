-- The link that is mailed differs from the one that the inviting admin sees: only the first proves the address.
ALTER TABLE "invitations" ADD COLUMN "mail_token_hash" BYTEA;
CREATE UNIQUE INDEX "invitations_mail_token_hash_key" ON "invitations"("mail_token_hash");

-- A new password ends every link to set one, however it was set.
CREATE INDEX "verifications_value_idx" ON "verifications"("value");
CREATE FUNCTION end_password_links() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM verifications WHERE value = NEW.user_id::text;
  RETURN NULL;
END $$;
CREATE TRIGGER accounts_end_password_links AFTER UPDATE OF password ON accounts
  FOR EACH ROW WHEN (OLD.password IS DISTINCT FROM NEW.password) EXECUTE FUNCTION end_password_links();
