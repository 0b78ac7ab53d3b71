-- Whether a person sees all charts whose results a query reads, directly or through other charts.
CREATE OR REPLACE FUNCTION sees_used_charts(
  chosen_query uuid, chosen_user uuid, seen_folders uuid[], seen_databases uuid[]
) RETURNS boolean LANGUAGE sql STABLE AS $$
  WITH RECURSIVE used AS (
    SELECT r.id, r.folder_id, r.created_by, r.query_id
    FROM public.query_uses u JOIN public.query_references r ON r.id = u.reference_id
    WHERE u.query_id = chosen_query
    UNION
    SELECT r.id, r.folder_id, r.created_by, r.query_id
    FROM used JOIN public.query_uses u ON u.query_id = used.query_id
      JOIN public.query_references r ON r.id = u.reference_id
  )
  SELECT NOT EXISTS (
    SELECT FROM used LEFT JOIN public.queries q ON q.id = used.query_id
    WHERE NOT coalesce(
      (coalesce(used.folder_id, '00000000-0000-0000-0000-000000000000') = ANY (seen_folders)
        OR (used.folder_id IS NULL AND used.created_by = chosen_user))
      AND (q.id IS NULL OR (
        (coalesce(q.folder_id, '00000000-0000-0000-0000-000000000000') = ANY (seen_folders)
          OR (q.folder_id IS NULL AND q.created_by = chosen_user))
        AND q.analytical_database_config_id = ANY (seen_databases))), false))
$$;
