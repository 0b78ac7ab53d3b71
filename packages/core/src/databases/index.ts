export { createDatabase, insertDatabase } from "./create-database.ts";
export { deleteDatabase } from "./delete-database.ts";
export { type CeilingSettings, ceilingSettings, toCeilings } from "./limits.ts";
export { describeDatabases, listDatabases } from "./list-databases.ts";
export { listSchemas, listTables, testConnection, testDatabase } from "./probe-database.ts";
export { resolveDatabaseHost } from "./resolve-database-host.ts";
export { saveChangedDatabase, saveNewDatabase } from "./save-database.ts";
