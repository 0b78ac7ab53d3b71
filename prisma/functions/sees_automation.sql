-- Whether somebody who sees these folders and databases sees an automation: its folder, its dashboard, its references and
-- those on the dashboard, and their queries.
CREATE OR REPLACE FUNCTION sees_automation(
  chosen_automation uuid, chosen_user uuid, seen_folders uuid[], seen_databases uuid[]
) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (
    SELECT FROM public.automations a
    WHERE a.id = chosen_automation
      AND (coalesce(a.folder_id, '00000000-0000-0000-0000-000000000000') = ANY (seen_folders)
        OR (a.folder_id IS NULL AND a.created_by = chosen_user))
      AND (a.dashboard_id IS NULL OR public.sees_dashboard(a.dashboard_id, chosen_user, seen_folders))
      AND NOT EXISTS (
        SELECT FROM (
            SELECT n.reference_id FROM public.automation_references n WHERE n.automation_id = a.id
            UNION ALL
            SELECT c.reference_id FROM public.dashboard_references c WHERE c.dashboard_id = a.dashboard_id) AS u
          JOIN public.query_references r ON r.id = u.reference_id
          LEFT JOIN public.queries q ON q.id = r.query_id
        WHERE NOT (
          (coalesce(r.folder_id, '00000000-0000-0000-0000-000000000000') = ANY (seen_folders)
            OR (r.folder_id IS NULL AND r.created_by = chosen_user))
          AND (q.id IS NULL OR (
            (coalesce(q.folder_id, '00000000-0000-0000-0000-000000000000') = ANY (seen_folders)
              OR (q.folder_id IS NULL AND q.created_by = chosen_user))
            AND q.analytical_database_config_id = ANY (seen_databases)
            AND public.sees_used_charts(q.id, chosen_user, seen_folders, seen_databases))))))
$$;
