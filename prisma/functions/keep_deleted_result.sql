-- Moves the bytes of a result that is deleted to the history, if they have not been compressed there yet. So they are
-- written once when a run ends, and a second time only if the next result comes sooner than a minute.
CREATE OR REPLACE FUNCTION keep_deleted_result() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE public.past_results SET bytes = OLD.gzipped_json
  WHERE run_id = OLD.run_id AND chain_id IS NULL AND bytes IS NULL;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER keep_deleted_result AFTER DELETE ON query_results
  FOR EACH ROW EXECUTE FUNCTION keep_deleted_result();
