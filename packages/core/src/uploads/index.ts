export { discardUpload } from "./discard-upload.ts";
export { dropTable } from "./drop-table.ts";
export { importUpload } from "./import-upload.ts";
export { toUploadLimits, type UploadSettings, uploadSettings } from "./limits.ts";
export { previewUpload } from "./preview-upload.ts";
export { readUploadsOverview } from "./read-overview.ts";
export { receiveUpload } from "./receive-upload.ts";
export { sweepUploads } from "./sweep-uploads.ts";
export { getUploadsDatabase } from "./uploads-database.ts";
