/**
 * SQL: a hash of the rights with which the query of a step has run. Null if its run is gone. Hashed, because the values can have
 * the address of a person.
 */
export const rightsHashOf = (stepId: string): string => `
  SELECT sha256(convert_to(concat(q.row_rights_version, ' ', q.system_values), 'UTF8'))
  FROM automation_steps s JOIN query_runs q ON q.id = s.query_run_id WHERE s.id = ${stepId}::uuid`;
