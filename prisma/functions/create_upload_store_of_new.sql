-- Every organization has a database for its uploads, however it was created.
CREATE OR REPLACE FUNCTION create_upload_store_of_new() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM create_upload_store(NEW);
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER organizations_create_upload_store AFTER INSERT ON organizations
  FOR EACH ROW
  EXECUTE FUNCTION create_upload_store_of_new();
