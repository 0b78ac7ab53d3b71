export { createQuery, deleteQuery, insertQuery, updateQuery } from "./change-query.ts";
export { getQuery, listDefinitions } from "./get-query.ts";
export { listQueries } from "./list-queries.ts";
export { getParameters, getQueryWithInputs, setParameters } from "./parameters.ts";
export { getQueryVersion, listQueryVersions } from "./query-versions.ts";
