export { type ApiError, type KnownReason, toApiError } from "./api-error.ts";
export { type Client, type ClientOptions, createClient } from "./create-client.ts";
export type { AppRouter, Inputs, Outputs } from "./router.ts";
export { type Upload, type UploadedTable, uploadFile } from "./upload-file.ts";
