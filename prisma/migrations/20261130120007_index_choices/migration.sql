-- The queries that the choices of a query come from: before a query is deleted, those that take choices from it are found.
CREATE INDEX "query_parameters_choices_idx" ON "query_parameters" USING gin (jsonb_path_query_array("choices", '$.*.queryId'));
