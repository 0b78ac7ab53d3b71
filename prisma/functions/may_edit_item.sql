-- Whether the caller of this connection may change an item: because of its folder or, in none, because they made it.
CREATE OR REPLACE FUNCTION may_edit_item(chosen_folder uuid, maker uuid) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT may_edit_folder(chosen_folder)
    OR (chosen_folder IS NULL AND maker = nullif(current_setting('querybell.caller', true), '')::uuid)
$$;
