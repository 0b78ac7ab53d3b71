-- The database's own time, in one place, so that a test can move it for every process at once.
CREATE OR REPLACE FUNCTION querybell_now() RETURNS timestamptz LANGUAGE sql STABLE AS 'SELECT now()';
