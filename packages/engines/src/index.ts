export { duckdbFileName, uploadsDatabase } from "./duckdb/duckdb-engine.ts";
export {
  addComments,
  type ConnectionContext,
  EngineError,
  type EngineSession,
  groupColumns,
  maxCommentLength,
  type Server,
  type Table,
  type TablePage,
} from "./engine.ts";
export { allEngines, connect, Database, endAbandonedQueries, engineOf } from "./engines.ts";
export { ResultWriter } from "./results/result-writer.ts";
export type { TrinoConfiguration } from "./trino/trino-engine.ts";
export {
  ChangedTables,
  type ChosenTypes,
  type DateOrder,
  FilePreview,
  type NamesBefore,
  type StoredTable,
  TableChange,
  type UploadedFile,
  UploadPreviewTask,
  UploadRefusal,
  UploadRefused,
} from "./uploads/upload-tasks.ts";
