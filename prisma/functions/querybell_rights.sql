-- What a person may see and change in an organization. No row: everything, because nothing is narrowed there or because
-- they are an admin or owner. The nil UUID stands for what is in no folder.
--
-- A folder without rights of its own has those of the folder around it, a top folder those of the organization's root. A
-- root or database without rights of its own is for everybody.
CREATE OR REPLACE FUNCTION querybell_rights(chosen_organization uuid, chosen_user uuid) RETURNS TABLE (
  folders uuid[], editable_folders uuid[], databases uuid[], writable_databases uuid[]
) LANGUAGE plpgsql STABLE AS $$
DECLARE
  nil CONSTANT uuid := '00000000-0000-0000-0000-000000000000';
  root_is_narrowed boolean;
  member_role role;
BEGIN
  SELECT o.root_has_own_rights INTO root_is_narrowed FROM public.organizations o WHERE o.id = chosen_organization;
  IF NOT root_is_narrowed
    AND NOT EXISTS (SELECT FROM public.folders f WHERE f.organization_id = chosen_organization AND f.has_own_rights)
    AND NOT EXISTS (
      SELECT FROM public.analytical_database_configs d
      WHERE d.organization_id = chosen_organization AND d.has_own_rights) THEN
    RETURN;
  END IF;
  SELECT m.role INTO member_role FROM public.members m
  WHERE m.organization_id = chosen_organization AND m.user_id = chosen_user;
  IF member_role IS NULL THEN
    RETURN QUERY SELECT '{}'::uuid[], '{}'::uuid[], '{}'::uuid[], '{}'::uuid[];
    RETURN;
  END IF;
  IF member_role IN ('owner', 'admin') THEN
    RETURN;
  END IF;
  RETURN QUERY
  WITH RECURSIVE granted AS MATERIALIZED (
    SELECT g.folder_id, g.database_id, max(g.level) AS level FROM public.access_grants g
    WHERE g.organization_id = chosen_organization AND (
      (g.group_id IS NULL AND g.user_id IS NULL) OR g.user_id = chosen_user OR g.group_id IN (
        SELECT m.group_id FROM public.group_members m
        WHERE m.organization_id = chosen_organization AND m.user_id = chosen_user))
    GROUP BY g.folder_id, g.database_id
  ), root AS (
    SELECT CASE WHEN root_is_narrowed THEN (
      SELECT g.level FROM granted g WHERE g.folder_id IS NULL AND g.database_id IS NULL
    ) ELSE 'edit'::access_level END AS level
  ), tree AS (
    SELECT nil AS id, r.level FROM root r
    UNION ALL
    SELECT f.id, CASE WHEN f.has_own_rights THEN (SELECT g.level FROM granted g WHERE g.folder_id = f.id) ELSE t.level END
    FROM tree t JOIN public.folders f
      ON f.organization_id = chosen_organization AND f.parent_id IS NOT DISTINCT FROM nullif(t.id, nil)
  ), database_levels AS (
    SELECT d.id, CASE WHEN d.has_own_rights THEN g.level ELSE 'write'::access_level END AS level
    FROM public.analytical_database_configs d LEFT JOIN granted g ON g.database_id = d.id
    WHERE d.organization_id = chosen_organization
  )
  SELECT
    (SELECT coalesce(array_agg(t.id), '{}') FROM tree t WHERE t.level IS NOT NULL),
    (SELECT coalesce(array_agg(t.id), '{}') FROM tree t WHERE t.level = 'edit' AND member_role <> 'viewer'),
    (SELECT coalesce(array_agg(d.id), '{}') FROM database_levels d WHERE d.level IS NOT NULL),
    (SELECT coalesce(array_agg(d.id), '{}') FROM database_levels d WHERE d.level = 'write' AND member_role <> 'viewer');
END $$;
