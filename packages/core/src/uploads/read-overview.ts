import type { Caller, UploadsOverview } from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { getUploadsDatabase } from "./stored-files.ts";
import { mayUpload } from "./upload-limits.ts";
import { toTable, withUpdater } from "./uploaded-tables.ts";
import { toUpload } from "./waiting-uploads.ts";

/** The organization's tables, the files that wait to be imported, and the bytes that they use. */
export async function readUploadsOverview(
  { db, clock, deployment }: Deps,
  caller: Caller,
): Promise<UploadsOverview> {
  const { organizationId } = caller;
  const [organization, database, tables, uploads] = await Promise.all([
    db.prisma.organization.findUniqueOrThrow({ where: { id: organizationId } }),
    getUploadsDatabase(db.prisma, organizationId),
    db.prisma.uploadedTable.findMany({
      where: { organizationId },
      orderBy: { name: "asc" },
      include: withUpdater,
    }),
    db.prisma.upload.findMany({
      where: { organizationId, expiresAt: { gt: clock.now() } },
      orderBy: [{ createdAt: "desc" }, { id: "desc" }],
    }),
  ]);
  const waitingBytes = uploads.reduce((sum, { bytes }) => sum + Number(bytes), 0);
  return {
    databaseId: database.id,
    tables: tables.map(toTable),
    waiting: uploads.filter(({ isComplete }) => isComplete).map(toUpload),
    usedBytes: Number(database.uploadFile?.usedBytes ?? 0n) + waitingBytes,
    ...deployment.uploads,
    mayChange: mayUpload(organization, caller),
  };
}
