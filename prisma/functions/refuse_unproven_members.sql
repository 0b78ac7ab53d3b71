-- An account whose address nobody has proven stays in the organization that invited it, and may create others: it must
-- not appear under that address where another admin expects the address's owner.
CREATE OR REPLACE FUNCTION refuse_unproven_members() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- Waits for a transaction that proves the address.
  PERFORM FROM users WHERE id = NEW.user_id AND NOT email_verified FOR NO KEY UPDATE;
  IF FOUND
    AND EXISTS (SELECT FROM members WHERE user_id = NEW.user_id)
    AND EXISTS (SELECT FROM members WHERE organization_id = NEW.organization_id)
  THEN
    RAISE EXCEPTION 'the address of user % is not proven', NEW.user_id USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER members_refuse_unproven BEFORE INSERT ON members
  FOR EACH ROW
  EXECUTE FUNCTION refuse_unproven_members();
