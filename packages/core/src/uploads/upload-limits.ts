import type { Prisma } from "@querybell/db";
import { AppError, type Caller, isAtLeast } from "@querybell/domain";
import type { UploadRefusal } from "@querybell/engines";
import { z } from "zod";
import type { Deps } from "../deps.ts";

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

/** Throws unless the caller may upload files and change their tables. An API key has the role of its owner. */
export async function requireUploads({ db }: Pick<Deps, "db">, caller: Caller): Promise<void> {
  const organization = await db.prisma.organization.findUniqueOrThrow({
    where: { id: caller.organizationId },
  });
  if (mayUpload(organization, caller)) return requireWriteOnUploads({ db }, caller);
  throw new AppError(
    "forbidden",
    "Only admins of this organization upload files and change their tables. Ask one of them.",
  );
}

/** Whoever changes tables may write SQL on their database. */
async function requireWriteOnUploads(
  { db }: Pick<Deps, "db">,
  { organizationId }: Pick<Caller, "organizationId">,
): Promise<void> {
  const { rows } = await db.pool.query<{ mayWrite: boolean }>({
    name: "may_write_on_uploads",
    text: `
      SELECT may_write_sql(id) AS "mayWrite" FROM analytical_database_configs
      WHERE organization_id = $1 AND holds_uploads`,
    values: [organizationId],
  });
  if (rows[0]?.mayWrite) return;
  throw new AppError(
    "forbidden",
    "You may not change the tables of uploaded files. Ask an admin for the right.",
  );
}

export const mayUpload = (
  { uploadsBy }: Pick<Prisma.OrganizationModel, "uploadsBy">,
  { role }: Pick<Caller, "role">,
): boolean => isAtLeast(role, uploadsBy === "members" ? "member" : "admin");

const codes = {
  unreadable: "upload_unreadable",
  conflict: "conflict",
  not_found: "not_found",
  disk_full: "disk_full",
} as const;

export const refusalToAppError = ({ reason, message }: UploadRefusal): AppError =>
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

/** The error for the caller if a write failed because the disk is full. Undefined for any other error. */
export function diskFailure(error: unknown): AppError | undefined {
  const code: unknown = error instanceof Error && "code" in error ? error.code : undefined;
  if (typeof code !== "string" || !fullDiskCodes.has(code)) return undefined;
  return new AppError(
    "disk_full",
    "There is no room left on the disk of this installation. Nothing was changed. Ask its operator to make room, then try again.",
    { cause: error },
  );
}
