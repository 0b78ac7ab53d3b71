-- Whether a person sees an automation: its folder, its references and their queries. As the view rights.automations, for
-- what is done without a caller, such as notifications.
CREATE OR REPLACE FUNCTION querybell_sees_automation(chosen_organization uuid, chosen_user uuid, chosen_automation uuid)
RETURNS boolean LANGUAGE plpgsql STABLE AS $$
DECLARE
  nil CONSTANT uuid := '00000000-0000-0000-0000-000000000000';
  mine record;
BEGIN
  SELECT * INTO mine FROM public.querybell_rights(chosen_organization, chosen_user);
  IF NOT FOUND THEN
    RETURN true;
  END IF;
  RETURN EXISTS (
    SELECT FROM public.automations a
    WHERE a.id = chosen_automation AND a.organization_id = chosen_organization
      AND (coalesce(a.folder_id, nil) = ANY (mine.folders) OR (a.folder_id IS NULL AND a.created_by = chosen_user))
      AND NOT EXISTS (
        SELECT FROM public.automation_references u JOIN public.query_references r ON r.id = u.reference_id
          LEFT JOIN public.queries q ON q.id = r.query_id
        WHERE u.automation_id = a.id AND NOT (
          (coalesce(r.folder_id, nil) = ANY (mine.folders) OR (r.folder_id IS NULL AND r.created_by = chosen_user))
          AND (q.id IS NULL OR (
            (coalesce(q.folder_id, nil) = ANY (mine.folders) OR (q.folder_id IS NULL AND q.created_by = chosen_user))
            AND q.analytical_database_config_id = ANY (mine.databases)
            AND sees_used_charts(q.id, chosen_user, mine.folders, mine.databases))))));
END $$;
