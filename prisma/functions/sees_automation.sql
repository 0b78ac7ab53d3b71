-- Whether somebody who sees these folders and databases sees an automation: its folder, its references and their queries.
CREATE OR REPLACE FUNCTION sees_automation(
  chosen_automation uuid, chosen_user uuid, seen_folders uuid[], seen_databases uuid[]
) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (
    SELECT FROM public.automations a
    WHERE a.id = chosen_automation
      AND (coalesce(a.folder_id, '00000000-0000-0000-0000-000000000000') = ANY (seen_folders)
        OR (a.folder_id IS NULL AND a.created_by = chosen_user))
      AND NOT EXISTS (
        SELECT FROM public.automation_references u JOIN public.query_references r ON r.id = u.reference_id
          LEFT JOIN public.queries q ON q.id = r.query_id
        WHERE u.automation_id = a.id AND NOT (
          (coalesce(r.folder_id, '00000000-0000-0000-0000-000000000000') = ANY (seen_folders)
            OR (r.folder_id IS NULL AND r.created_by = chosen_user))
          AND (q.id IS NULL OR (
            (coalesce(q.folder_id, '00000000-0000-0000-0000-000000000000') = ANY (seen_folders)
              OR (q.folder_id IS NULL AND q.created_by = chosen_user))
            AND q.analytical_database_config_id = ANY (seen_databases))))))
$$;
