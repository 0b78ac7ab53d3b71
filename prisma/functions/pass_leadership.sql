-- A run of a refresh that ends before it was claimed, because it is cancelled, leads its group no more: the next one that
-- waits does. Otherwise nobody would claim the others.
CREATE OR REPLACE FUNCTION pass_leadership() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  next_leader uuid;
BEGIN
  SELECT r.id INTO next_leader FROM public.query_runs r
  WHERE r.leader_id = NEW.id AND r.status = 'pending' ORDER BY r.id LIMIT 1 FOR NO KEY UPDATE;
  IF next_leader IS NOT NULL THEN
    UPDATE public.query_runs r SET leader_id = nullif(next_leader, r.id)
    WHERE r.leader_id = NEW.id AND r.status = 'pending';
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER query_runs_pass_leadership AFTER UPDATE OF status ON query_runs
  FOR EACH ROW WHEN (OLD.status = 'pending' AND NEW.status = 'failed' AND NEW.refresh_id IS NOT NULL AND NEW.leader_id IS NULL)
  EXECUTE FUNCTION pass_leadership();
