-- Whether somebody who sees these folders sees a dashboard.
CREATE OR REPLACE FUNCTION sees_dashboard(chosen_dashboard uuid, chosen_user uuid, seen_folders uuid[])
RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (
    SELECT FROM public.dashboards d
    WHERE d.id = chosen_dashboard
      AND (coalesce(d.folder_id, '00000000-0000-0000-0000-000000000000') = ANY (seen_folders)
        OR (d.folder_id IS NULL AND d.created_by = chosen_user)))
$$;
