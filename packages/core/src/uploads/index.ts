export { dropTable, importUpload } from "./change-tables.ts";
export { findLostFiles, giveUpLostFile, type OlderTables } from "./lost-files.ts";
export { readUploadsOverview } from "./read-overview.ts";
export { receiveUpload } from "./receive-upload.ts";
export { getUploadsDatabase, listStoredFiles, type StoredFile } from "./stored-files.ts";
export { sweepUploads } from "./sweep-uploads.ts";
export { toUploadLimits, type UploadSettings, uploadSettings } from "./upload-limits.ts";
export { discardUpload, previewUpload } from "./waiting-uploads.ts";
