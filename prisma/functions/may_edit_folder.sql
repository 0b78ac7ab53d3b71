-- Whether the caller of this connection may change what is in a folder; null: in none.
CREATE OR REPLACE FUNCTION may_edit_folder(chosen_folder uuid) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT coalesce(current_setting('querybell.caller', true), '') = '' OR coalesce(
    coalesce(chosen_folder, '00000000-0000-0000-0000-000000000000')
      = ANY (nullif(current_setting('querybell.editable_folders', true), '')::uuid[]), false)
$$;
