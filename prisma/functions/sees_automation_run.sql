-- Whether the caller of this connection sees an automation run. A function, so that the views of queries, which seldom ask
-- this, are planned without it.
CREATE OR REPLACE FUNCTION sees_automation_run(chosen_run uuid) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (
    SELECT FROM public.automation_runs r
    WHERE r.id = chosen_run AND public.sees_automation(
      r.automation_id, nullif(current_setting('querybell.caller', true), '')::uuid,
      nullif(current_setting('querybell.folders', true), '')::uuid[],
      nullif(current_setting('querybell.databases', true), '')::uuid[]))
$$;
