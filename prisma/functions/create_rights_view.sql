-- Creates the view of one table, called t in the condition.
CREATE OR REPLACE FUNCTION create_rights_view(table_name text, condition text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('CREATE VIEW rights.%1$I AS SELECT * FROM public.%1$I t WHERE %2$s', table_name, condition);
END $$;
