export { createQuery, insertQuery } from "./create-query.ts";
export { deleteQuery } from "./delete-query.ts";
export { getQuery } from "./get-query.ts";
export { listDefinitions } from "./list-definitions.ts";
export { listQueries } from "./list-queries.ts";
export { getQueryVersion, listQueryVersions } from "./query-versions.ts";
export { updateQuery } from "./update-query.ts";
