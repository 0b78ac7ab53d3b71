export { connect, endAbandonedQueries } from "./connect.ts";
export { duckdbFileName, uploadsDatabase } from "./duckdb/duckdb-engine.ts";
export {
  type Column,
  type ConnectionContext,
  EngineError,
  type EngineSession,
  type Server,
  type Table,
  type TablePage,
} from "./engine.ts";
export { allEngines, Database, engineOf } from "./engines.ts";
export { ResultWriter } from "./results/result-writer.ts";
export { groupColumns } from "./schema-listing.ts";
export type { TrinoConfiguration } from "./trino/trino-engine.ts";
export {
  ChangedTables,
  type ChosenTypes,
  type DateOrder,
  type StoredTable,
  TableChange,
  type UploadedFile,
  UploadPreview,
  UploadPreviewTask,
  UploadRefusal,
  UploadRefused,
} from "./uploads/upload-tasks.ts";
