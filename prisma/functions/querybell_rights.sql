-- What a person may see and change in an organization, with an API key if one is given. No row: everything, because nothing
-- is narrowed there or because they are an admin or owner, and no query uses values of its reader. The nil UUID stands for what is in no folder.
--
-- A folder without rights of its own has those of the folder around it, a top folder those of the organization's root. A
-- root or database without rights of its own is for everybody. A key that is narrowed to folders sees those below them too.
CREATE OR REPLACE FUNCTION querybell_rights(chosen_organization uuid, chosen_user uuid, chosen_key uuid DEFAULT NULL)
RETURNS TABLE (
  folders uuid[], editable_folders uuid[], databases uuid[], writable_databases uuid[]
) LANGUAGE plpgsql STABLE AS $$
DECLARE
  nil CONSTANT uuid := '00000000-0000-0000-0000-000000000000';
  root_is_narrowed boolean;
  uses_own_values boolean;
  has_everything boolean;
  member_role role;
  key_folders uuid[];
  key_databases uuid[];
BEGIN
  SELECT o.root_has_own_rights, o.has_row_rights INTO root_is_narrowed, uses_own_values
  FROM public.organizations o WHERE o.id = chosen_organization;
  has_everything := NOT root_is_narrowed
    AND NOT EXISTS (SELECT FROM public.folders f WHERE f.organization_id = chosen_organization AND f.has_own_rights)
    AND NOT EXISTS (
      SELECT FROM public.analytical_database_configs d
      WHERE d.organization_id = chosen_organization AND d.has_own_rights);
  IF has_everything AND NOT uses_own_values AND chosen_key IS NULL THEN
    RETURN;
  END IF;
  SELECT m.role INTO member_role FROM public.members m
  WHERE m.organization_id = chosen_organization AND m.user_id = chosen_user;
  IF member_role IS NULL THEN
    RETURN QUERY SELECT '{}'::uuid[], '{}'::uuid[], '{}'::uuid[], '{}'::uuid[];
    RETURN;
  END IF;
  has_everything := has_everything OR member_role IN ('owner', 'admin');
  IF has_everything AND NOT uses_own_values AND chosen_key IS NULL THEN
    RETURN;
  END IF;
  SELECT CASE WHEN k.narrows_folders THEN k.folder_ids END, CASE WHEN k.narrows_databases THEN k.database_ids END
  INTO key_folders, key_databases FROM public.api_keys k
  WHERE k.id = chosen_key AND k.organization_id = chosen_organization;
  RETURN QUERY
  WITH RECURSIVE granted AS MATERIALIZED (
    SELECT g.folder_id, g.database_id, max(g.level) AS level FROM public.access_grants g
    WHERE g.organization_id = chosen_organization AND (
      (g.group_id IS NULL AND g.user_id IS NULL) OR g.user_id = chosen_user OR g.group_id IN (
        SELECT m.group_id FROM public.group_members m
        WHERE m.organization_id = chosen_organization AND m.user_id = chosen_user))
    GROUP BY g.folder_id, g.database_id
  ), tree AS (
    SELECT nil AS id, CASE WHEN has_everything OR NOT root_is_narrowed THEN 'edit'::access_level ELSE (
      SELECT g.level FROM granted g WHERE g.folder_id IS NULL AND g.database_id IS NULL) END AS level,
      key_folders IS NULL OR nil = ANY (key_folders) AS is_for_key
    UNION ALL
    SELECT f.id,
      CASE WHEN has_everything THEN 'edit' WHEN f.has_own_rights THEN (
        SELECT g.level FROM granted g WHERE g.folder_id = f.id) ELSE t.level END,
      key_folders IS NULL OR f.id = ANY (key_folders) OR (t.is_for_key AND t.id <> nil)
    FROM tree t JOIN public.folders f
      ON f.organization_id = chosen_organization AND f.parent_id IS NOT DISTINCT FROM nullif(t.id, nil)
  ), database_levels AS (
    SELECT d.id, CASE WHEN has_everything OR NOT d.has_own_rights THEN 'write'::access_level ELSE g.level END AS level
    FROM public.analytical_database_configs d LEFT JOIN granted g ON g.database_id = d.id
    WHERE d.organization_id = chosen_organization AND (key_databases IS NULL OR d.id = ANY (key_databases))
  )
  SELECT
    (SELECT coalesce(array_agg(t.id), '{}') FROM tree t WHERE t.level IS NOT NULL AND t.is_for_key),
    (SELECT coalesce(array_agg(t.id), '{}') FROM tree t
      WHERE t.level = 'edit' AND t.is_for_key AND member_role <> 'viewer'),
    (SELECT coalesce(array_agg(d.id), '{}') FROM database_levels d WHERE d.level IS NOT NULL),
    (SELECT coalesce(array_agg(d.id), '{}') FROM database_levels d WHERE d.level = 'write' AND member_role <> 'viewer');
END $$;
