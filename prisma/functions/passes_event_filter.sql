-- Whether an endpoint with this filter gets an event: all that the filter names must hold. The automation is looked up as it
-- is now: in its folder, or in one below a folder of the filter.
--
-- Called in the transaction that ends a run, so it must not fail: an event whose data cannot be read passes.
CREATE OR REPLACE FUNCTION passes_event_filter(
  filter jsonb, about_automation uuid, event_body bytea, given_data jsonb
) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
DECLARE
  data jsonb := given_data;
  condition jsonb;
BEGIN
  IF (filter->'automationIds') <> '[]' OR (filter->'folderIds') <> '[]' THEN
    IF about_automation IS NULL OR NOT (
      (filter->'automationIds') ? about_automation::text
      OR EXISTS (
        WITH RECURSIVE above AS (
          SELECT a.folder_id AS id FROM public.automations a WHERE a.id = about_automation
          UNION
          SELECT f.parent_id FROM above JOIN public.folders f ON f.id = above.id
        )
        SELECT FROM above WHERE (filter->'folderIds') ? above.id::text)
    ) THEN
      RETURN false;
    END IF;
  END IF;
  IF (filter->'conditions') = '[]' THEN
    RETURN true;
  END IF;
  IF data IS NULL THEN
    BEGIN
      data := convert_from(event_body, 'UTF8')::jsonb->'data';
    EXCEPTION WHEN OTHERS THEN
      RETURN true;
    END;
  END IF;
  FOR condition IN SELECT * FROM jsonb_array_elements(filter->'conditions') LOOP
    IF NOT meets_event_condition(data, condition->>'field', condition->>'operator', condition->>'value') THEN
      RETURN false;
    END IF;
  END LOOP;
  RETURN true;
END $$;
