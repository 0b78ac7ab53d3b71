-- Whether an API key may be told of an automation: it is neither revoked nor expired, and sees the automation.
CREATE OR REPLACE FUNCTION key_sees_automation(chosen_key uuid, chosen_automation uuid)
RETURNS boolean LANGUAGE plpgsql STABLE AS $$
DECLARE
  nil CONSTANT uuid := '00000000-0000-0000-0000-000000000000';
  k record;
  mine record;
BEGIN
  SELECT organization_id, user_id, narrows_folders, narrows_databases INTO k FROM public.api_keys
  WHERE id = chosen_key AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > querybell_now());
  IF NOT FOUND OR NOT EXISTS (
    SELECT FROM public.automations a
    WHERE a.id = chosen_automation AND a.organization_id = k.organization_id AND a.deleted_at IS NULL
  ) THEN
    RETURN false;
  END IF;
  SELECT * INTO mine FROM public.querybell_rights(
    k.organization_id, k.user_id, CASE WHEN k.narrows_folders OR k.narrows_databases THEN chosen_key END);
  IF NOT FOUND THEN
    RETURN true;
  END IF;
  -- What its owner made outside of folders is theirs, but not that of a key for some folders.
  RETURN public.sees_automation(
    chosen_automation, CASE WHEN k.narrows_folders THEN nil ELSE k.user_id END, mine.folders, mine.databases);
END $$;
