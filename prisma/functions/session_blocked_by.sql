-- Why a session does not open an organization of its person: null if it does. Everything that reads what a session may do
-- asks here.
CREATE OR REPLACE FUNCTION session_blocked_by(chosen_session uuid, chosen_organization uuid, member_role role)
RETURNS text LANGUAGE sql STABLE AS $$
  SELECT CASE
    -- An organization's provider opens only that organization.
    WHEN s.only_organization_id <> chosen_organization THEN 'other_organization'
    WHEN s.only_organization_id IS NULL
      AND EXISTS (SELECT FROM identity_providers p WHERE p.organization_id = o.id AND p.enforced)
      THEN 'single_sign_on'
    WHEN s.second_factor_at IS NULL
      AND (o.second_factor_for = 'everybody' OR o.second_factor_for = 'admins' AND member_role IN ('owner', 'admin'))
      THEN 'second_factor'
  END
  FROM sessions s, organizations o WHERE s.id = chosen_session AND o.id = chosen_organization
$$;
