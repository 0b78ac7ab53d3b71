-- Whether the field of an event's data meets a condition. In a list, one value that meets it suffices; `not_equals` holds if
-- there is a value and none is equal. A number is compared with numbers only, with all their digits; other values as texts.
CREATE OR REPLACE FUNCTION meets_event_condition(data jsonb, field text, operator text, wanted text)
RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  -- Bounded, so that the conversion never fails. In some locales `\d` matches digits that it does not take.
  number_form CONSTANT text := '^-?[0-9]{1,100}(\.[0-9]{1,100})?([eE][+-]?[0-9]{1,2})?$';
  found text[];
  value text;
  comparison int;
  meets boolean;
BEGIN
  -- A field is names joined by dots. Lists on the way are looked into.
  SELECT array_agg(v #>> '{}') FILTER (WHERE coalesce(v #>> '{}', '') <> '') INTO found
  FROM jsonb_path_query(data, ('lax $."' || replace(field, '.', '"."') || '"[*]')::jsonpath, silent => true) v;
  IF operator = 'is_empty' THEN
    RETURN found IS NULL;
  END IF;
  FOREACH value IN ARRAY coalesce(found, '{}') LOOP
    IF operator = 'contains' THEN
      IF strpos(value, wanted) > 0 THEN
        RETURN true;
      END IF;
      CONTINUE;
    END IF;
    IF wanted !~ number_form THEN
      comparison := CASE WHEN value = wanted THEN 0 WHEN value COLLATE "C" < wanted COLLATE "C" THEN -1 ELSE 1 END;
    ELSIF value ~ number_form THEN
      comparison := sign(value::numeric - wanted::numeric);
    ELSE
      CONTINUE;
    END IF;
    IF operator = 'not_equals' AND comparison = 0 THEN
      RETURN false;
    END IF;
    meets := CASE operator
      WHEN 'equals' THEN comparison = 0
      WHEN 'less' THEN comparison < 0
      WHEN 'at_most' THEN comparison <= 0
      WHEN 'more' THEN comparison > 0
      WHEN 'at_least' THEN comparison >= 0
      ELSE false
    END;
    IF meets THEN
      RETURN true;
    END IF;
  END LOOP;
  RETURN operator = 'not_equals' AND found IS NOT NULL;
END $$;
