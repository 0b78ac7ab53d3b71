-- Whether a person sees an automation. As the view rights.automations, for what is done without a caller, such as
-- notifications.
CREATE OR REPLACE FUNCTION querybell_sees_automation(chosen_organization uuid, chosen_user uuid, chosen_automation uuid)
RETURNS boolean LANGUAGE plpgsql STABLE AS $$
DECLARE
  mine record;
BEGIN
  SELECT * INTO mine FROM public.querybell_rights(chosen_organization, chosen_user);
  IF NOT FOUND THEN
    RETURN true;
  END IF;
  RETURN EXISTS (
      SELECT FROM public.automations a WHERE a.id = chosen_automation AND a.organization_id = chosen_organization)
    AND public.sees_automation(chosen_automation, chosen_user, mine.folders, mine.databases);
END $$;
