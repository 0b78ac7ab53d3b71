import { open } from "node:fs/promises";
import type { Readable } from "node:stream";
import { addJob, type Prisma } from "@querybell/db";
import {
  AppError,
  type Caller,
  newId,
  type OrganizationExport,
  type OrganizationExportId,
} from "@querybell/domain";
import { recordAudit } from "../audit.ts";
import type { Deps } from "../deps.ts";
import { lockRow } from "../lock-row.ts";
import { requireOwnership } from "../members/members.ts";
import { exportFile } from "./export-files.ts";

export { executeExport, sweepExports } from "./execute-export.ts";

/** The export of the caller's organization; null if there is none, or if its file has expired. */
export async function findExport(
  { db, clock }: Pick<Deps, "db" | "clock">,
  caller: Caller,
): Promise<OrganizationExport | null> {
  requireOwnership(caller);
  const row = await db.prisma.organizationExport.findFirst({ where: isCurrent(caller, clock.now()) });
  return row && toExport(row);
}

const isCurrent = ({ organizationId }: Pick<Caller, "organizationId">, now: Date) =>
  ({
    organizationId,
    state: { not: "ended" },
    OR: [{ expiresAt: null }, { expiresAt: { gt: now } }],
  }) satisfies Prisma.OrganizationExportWhereInput;

/** After this time, the job of an unfinished export has been given up. */
const givenUpAfterMs = 24 * 60 * 60 * 1000;

/** Exports of all organizations are made one after the other, so that they never use more than one slot for jobs. */
const queue = "organization_exports";

/**
 * Starts an export, which replaces an earlier one: an organization has one file at most. If one is being made, nothing
 * changes, so that two owners at once start one.
 */
export async function createExport(
  { db, clock }: Pick<Deps, "db" | "clock">,
  caller: Caller,
): Promise<OrganizationExport> {
  requireOwnership(caller);
  const { organizationId, userId } = caller;
  const now = clock.now();
  return db.transaction(async (tx) => {
    await lockRow(tx, { table: "organizations", key: { id: organizationId }, strength: "NO KEY UPDATE" });
    const unfinished = await tx.organizationExport.findFirst({
      where: {
        organizationId,
        state: { in: ["pending", "running"] },
        createdAt: { gt: new Date(now.getTime() - givenUpAfterMs) },
      },
    });
    if (unfinished) return toExport(unfinished);
    await tx.organizationExport.updateMany({
      where: { organizationId, state: { not: "ended" } },
      data: { state: "ended", expiresAt: now },
    });
    const id = newId(clock);
    const row = await tx.organizationExport.create({
      data: { id, organizationId, createdBy: userId, createdAt: now },
    });
    await recordAudit({ tx, clock }, caller, { action: "export.created", targetId: id });
    await addJob(tx, ["create_export", { organizationId, id }], { queue });
    return toExport(row);
  });
}

/** Deletes an export. If it is being made, that ends. The file is gone within minutes, and cannot be downloaded from now on. */
export async function deleteExport(
  { db, clock }: Pick<Deps, "db" | "clock">,
  caller: Caller,
  { id }: OrganizationExportId,
): Promise<void> {
  requireOwnership(caller);
  const now = clock.now();
  await db.transaction(async (tx) => {
    const { count } = await tx.organizationExport.updateMany({
      where: { id, ...isCurrent(caller, now) },
      data: { state: "ended", expiresAt: now },
    });
    if (count === 0) throw exportNotFound();
    await recordAudit({ tx, clock }, caller, { action: "export.deleted", targetId: id });
  });
}

interface OpenedExport {
  fileName: string;
  bytes: number;
  content: Readable;
}

/** Opens the file of an export, and records the download. */
export async function openExport(
  deps: Pick<Deps, "db" | "clock" | "deployment">,
  caller: Caller,
  { id }: OrganizationExportId,
): Promise<OpenedExport> {
  requireOwnership(caller);
  const { db, clock } = deps;
  const row = await db.prisma.organizationExport.findFirst({
    where: { id, ...isCurrent(caller, clock.now()), state: "ready" },
    include: { organization: { select: { slug: true } } },
  });
  if (!row) throw exportNotFound();
  const file = await open(exportFile(deps, row), "r").catch(() => undefined);
  if (!file) {
    throw new AppError(
      "unavailable",
      "The file is not on this machine. The operator has to share the folder of embedded databases between the machines.",
    );
  }
  try {
    await db.transaction((tx) =>
      recordAudit({ tx, clock }, caller, { action: "export.downloaded", targetId: id }),
    );
    const { size } = await file.stat();
    const fileName = `${row.organization.slug}-${row.createdAt.toISOString().slice(0, 10)}.tar.gz`;
    return { fileName, bytes: size, content: file.createReadStream() };
  } catch (error) {
    await file.close();
    throw error;
  }
}

const exportNotFound = () =>
  new AppError(
    "not_found",
    "There is no such export. It was deleted or replaced, or has expired. Make another one.",
  );

const toExport = (row: Prisma.OrganizationExportModel): OrganizationExport => {
  if (row.state === "ended") throw new Error("An export that has ended is not shown.");
  return {
    id: row.id,
    state: row.state,
    itemsDone: row.itemsDone,
    itemsTotal: row.itemsTotal,
    bytes: row.bytes === null ? null : Number(row.bytes),
    createdAt: row.createdAt.toISOString(),
    expiresAt: row.expiresAt?.toISOString() ?? null,
  };
};
