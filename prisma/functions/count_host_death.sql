-- A run whose engine host died twice is not started a third time: the statement may be what ends them. The deaths are
-- counted here, so that it holds for whoever claims, in the statement that claims: a worker that dies takes its hosts with
-- it, and leaves a lease that expires. A worker that is stopped gives the lease back.
CREATE OR REPLACE FUNCTION count_host_death() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW."host_deaths" := OLD."host_deaths" + 1;
  RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER query_runs_count_host_death BEFORE UPDATE OF lease_number ON query_runs
  FOR EACH ROW WHEN (
    OLD.status = 'running' AND NEW.lease_number > OLD.lease_number
    AND OLD.released_lease IS DISTINCT FROM OLD.lease_number)
  EXECUTE FUNCTION count_host_death();
