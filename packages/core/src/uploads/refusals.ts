import { AppError } from "@querybell/domain";
import type { UploadRefusal } from "@querybell/engines";

const codes = {
  unreadable: "upload_unreadable",
  conflict: "conflict",
  not_found: "not_found",
  disk_full: "disk_full",
} as const;

export const toAppError = ({ reason, message }: UploadRefusal): AppError =>
  new AppError(codes[reason], message);

export const quotaExceeded = (quotaBytes: number): AppError =>
  new AppError(
    "quota_exceeded",
    `The uploads of this organization would take more than their quota of ${inMebibytes(quotaBytes)}. Nothing was changed. Drop a table or discard a waiting file, or ask the operator for more.`,
  );

export const fileTooLarge = (maxFileBytes: number): AppError =>
  new AppError(
    "payload_too_large",
    `The file is larger than the ${inMebibytes(maxFileBytes)} that an upload may have. Split it, or ask the operator for more.`,
  );

const inMebibytes = (bytes: number): string => `${Math.floor(bytes / 1024 ** 2)} MiB`;

const fullDiskCodes = new Set(["ENOSPC", "EDQUOT"]);

/** What a failed write to the disk means for the caller, if it is something that they should know. */
export function diskFailure(error: unknown): AppError | undefined {
  const code: unknown = error instanceof Error && "code" in error ? error.code : undefined;
  if (typeof code !== "string" || !fullDiskCodes.has(code)) return undefined;
  return new AppError(
    "disk_full",
    "There is no room left on the disk of this installation. Nothing was changed. Ask its operator to make room, then try again.",
    { cause: error },
  );
}
