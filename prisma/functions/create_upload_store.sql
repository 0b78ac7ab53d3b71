-- Creates the database for an organization's uploads.
CREATE OR REPLACE FUNCTION create_upload_store(organization organizations) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  new_id uuid := uuidv7();
BEGIN
  INSERT INTO analytical_database_configs (
    id, organization_id, name, engine, settings, limits, holds_uploads, created_at, updated_at)
  VALUES (
    new_id, organization.id, 'Uploads', 'duckdb', '{}', '{}', true, organization.created_at, organization.created_at);
  INSERT INTO upload_stores (organization_id, database_id) VALUES (organization.id, new_id);
END $$;
