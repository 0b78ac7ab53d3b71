import { z } from "zod";

const mebibyte = 1024 ** 2;
const mebibytes = z.coerce.number().int().min(1).max(1_048_576);

/** The operator's settings for uploaded files. */
export const uploadSettings = {
  MAX_UPLOAD_MEBIBYTES: mebibytes.default(500).describe("Maximum MiB of one uploaded file"),
  UPLOADS_QUOTA_MEBIBYTES: mebibytes
    .default(2048)
    .describe(
      "Maximum MiB of the uploads of one organization: its tables and the files that wait to be imported",
    ),
};

const UploadSettings = z.object(uploadSettings);
export type UploadSettings = z.input<typeof UploadSettings>;

export interface UploadLimits {
  maxFileBytes: number;
  quotaBytes: number;
}

export function toUploadLimits(settings: UploadSettings): UploadLimits {
  const { MAX_UPLOAD_MEBIBYTES, UPLOADS_QUOTA_MEBIBYTES } = UploadSettings.parse(settings);
  return { maxFileBytes: MAX_UPLOAD_MEBIBYTES * mebibyte, quotaBytes: UPLOADS_QUOTA_MEBIBYTES * mebibyte };
}
