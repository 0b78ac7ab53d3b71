-- AlterTable
ALTER TABLE "webhook_endpoints" ADD COLUMN     "filter" JSONB;

ALTER TABLE "webhook_endpoints" ADD CONSTRAINT "webhook_endpoints_filter" CHECK ("filter" IS NULL OR "kind" = 'webhook');

-- Inserts an event, and a delivery of it for every subscribed endpoint. A cause emits at most once. The caller wakes the
-- pumps: those that hold an endpoint, and for an endpoint that none holds, all of them.
--
-- An event about an automation gets the next position in the organization's event stream, if it has one. The lock on its
-- row makes the order of positions that of the commits, and every position has an event, until it is purged. The statement
-- after it sees every subscription that was committed before the lock was taken, so an event is either before the start of
-- a subscription or delivered to it.
--
-- Filters see the data of the body, or filtered_data if it is given.
CREATE OR REPLACE FUNCTION emit_webhook_event(
  new_event uuid, chosen_organization uuid, event_type text, event_body bytea, cause text, about_automation uuid,
  emitted_at timestamptz, tells_people boolean DEFAULT true, filtered_data jsonb DEFAULT NULL
) RETURNS TABLE (is_new boolean, held_endpoints text[], free_endpoints text[]) LANGUAGE plpgsql AS $$
DECLARE
  last_position bigint;
BEGIN
  IF about_automation IS NOT NULL THEN
    SELECT s.position INTO last_position FROM event_streams s
    WHERE s.organization_id = chosen_organization FOR NO KEY UPDATE;
  END IF;
  INSERT INTO webhook_events (id, organization_id, type, body, dedupe_key, created_at, position, automation_id)
  VALUES (new_event, chosen_organization, event_type, event_body, cause, emitted_at, last_position + 1,
    CASE WHEN last_position IS NOT NULL THEN about_automation END)
  ON CONFLICT (organization_id, dedupe_key) DO NOTHING;
  IF NOT FOUND THEN
    RETURN QUERY SELECT false, NULL::text[], NULL::text[];
    RETURN;
  END IF;
  IF last_position IS NOT NULL THEN
    UPDATE event_streams s SET position = last_position + 1 WHERE s.organization_id = chosen_organization;
  END IF;
  RETURN QUERY
    WITH subscribed AS (
      SELECT e.id, e.lease_owner IS NOT NULL AS is_held, e.state = 'enabled' AND o.webhooks_enabled AS is_active
      FROM webhook_endpoints e JOIN organizations o ON o.id = e.organization_id
      WHERE e.organization_id = chosen_organization AND e.state <> 'deleted' AND CASE e.kind
        WHEN 'webhook' THEN event_type = ANY(e.event_types)
          AND (e.filter IS NULL OR passes_event_filter(e.filter, about_automation, event_body, filtered_data))
        WHEN 'mcp' THEN event_type = ANY(e.event_types) AND last_position IS NOT NULL AND e.expires_at > querybell_now()
          AND (e.automation_id IS NULL OR e.automation_id = about_automation)
        -- A destination gets what automations have chosen for it, while people are told.
        ELSE tells_people AND EXISTS (
          SELECT FROM automation_destinations c
          WHERE c.automation_id = about_automation AND c.endpoint_id = e.id AND event_type = ANY(c.event_types))
        END
    ), delivery AS (
      INSERT INTO webhook_deliveries (id, event_id, endpoint_id, state, next_attempt_at, created_at, state_changed_at)
      SELECT uuidv7(querybell_now() - now()), new_event, s.id,
        CASE WHEN s.is_active THEN 'pending' ELSE 'held' END::webhook_delivery_state,
        querybell_now(), querybell_now(), querybell_now()
      FROM subscribed s
    )
    SELECT true, array_agg(s.id::text) FILTER (WHERE s.is_active AND s.is_held),
      array_agg(s.id::text) FILTER (WHERE s.is_active AND NOT s.is_held)
    FROM subscribed s;
END $$;

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

DROP FUNCTION emit_webhook_event(uuid,uuid,text,bytea,text,uuid,timestamp with time zone,boolean);
