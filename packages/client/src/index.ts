export { type ApiError, type KnownReason, toApiError } from "./api-error.ts";
export type { ClientOptions } from "./client-options.ts";
export { type Client, createClient } from "./create-client.ts";
export type { AppRouter, Inputs, Outputs } from "./router.ts";
export { type Upload, type UploadedTable, uploadFile } from "./upload-file.ts";
