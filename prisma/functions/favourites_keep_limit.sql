-- A member has at most 200 favourites. Insertions of one member take turns: two that are valid alone could be too many
-- together. After the insertion, because one that conflicts with an existing row inserts nothing.
--
-- In plpgsql, because every statement of a function sees what was committed before it began, so after the lock was granted.
CREATE OR REPLACE FUNCTION favourites_keep_limit() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('favourites:' || NEW.organization_id || ':' || NEW.user_id, 0));
  IF (SELECT count(*) FROM favourites WHERE organization_id = NEW.organization_id AND user_id = NEW.user_id) > 200 THEN
    RAISE EXCEPTION 'too_many_favourites' USING ERRCODE = 'QB007';
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER favourites_keep_limit AFTER INSERT ON favourites
  FOR EACH ROW
  EXECUTE FUNCTION favourites_keep_limit();
