-- Whether a person sees a reference: its folder, and its query with its database. As the view rights.query_references, for
-- what is done without a caller.
CREATE OR REPLACE FUNCTION querybell_sees_reference(chosen_organization uuid, chosen_user uuid, chosen_reference uuid)
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
    SELECT FROM public.query_references r LEFT JOIN public.queries q ON q.id = r.query_id
    WHERE r.id = chosen_reference AND r.organization_id = chosen_organization
      AND (coalesce(r.folder_id, nil) = ANY (mine.folders) OR (r.folder_id IS NULL AND r.created_by = chosen_user))
      AND (q.id IS NULL OR (
        (coalesce(q.folder_id, nil) = ANY (mine.folders) OR (q.folder_id IS NULL AND q.created_by = chosen_user))
        AND q.analytical_database_config_id = ANY (mine.databases))));
END $$;
