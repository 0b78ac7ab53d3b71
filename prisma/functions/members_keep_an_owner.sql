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
