export {
  createDatabase,
  deleteDatabase,
  insertDatabase,
  saveChangedDatabase,
  saveNewDatabase,
} from "./change-database.ts";
export { resolveDatabaseHost } from "./connections.ts";
export { describeTables } from "./describe-tables.ts";
export { describeDatabases, listDatabases } from "./get-database.ts";
export { type CeilingSettings, ceilingSettings, toCeilings } from "./limits.ts";
export { listSchemas, listTables, testConnection, testDatabase } from "./probe-database.ts";
export { previewTable, profileColumn } from "./read-table.ts";
export { listDescriptions, saveDescription } from "./table-descriptions.ts";
