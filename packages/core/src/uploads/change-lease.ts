import { setTimeout as wait } from "node:timers/promises";
import { AppError } from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { getUploadsDatabase } from "./stored-files.ts";

// Leases expire by real time, so they use now() and not querybell_now(), which tests move.
const leaseSeconds = 15;
const renewEveryMs = 2_000;
const tryEveryMs = 200;
const waitMs = 15_000;

/** The right to change an organization's tables. There is only one change at a time. */
export interface ChangeLease {
  organizationId: string;
  databaseId: string;
  /** The fencing token: only the newest change may commit. */
  changeNumber: number;
  /** The current file, which the change starts from. */
  fileId: string | null;
}

/** Waits for a change in progress to end. */
export async function acquireChange(
  deps: Pick<Deps, "db">,
  organizationId: string,
  signal: AbortSignal | undefined,
): Promise<ChangeLease> {
  for (const end = performance.now() + waitMs; ; ) {
    const lease = await tryAcquire(deps, organizationId);
    if (lease) return lease;
    if (performance.now() > end) {
      throw new AppError(
        "unavailable",
        "Another change of your organization's tables is going on. Wait until it is done, then try again.",
        { retryAfterSeconds: 5 },
      );
    }
    await wait(tryEveryMs);
    if (signal?.aborted) throw new AppError("unavailable", "The request was cancelled. Nothing was changed.");
  }
}

async function tryAcquire(
  { db }: Pick<Deps, "db">,
  organizationId: string,
): Promise<ChangeLease | undefined> {
  const { rows } = await db.pool.query<Omit<ChangeLease, "fileId">>({
    name: "acquire_upload_change",
    text: `
      UPDATE upload_stores
      SET change_number = change_number + 1, change_until = now() + make_interval(secs => $2)
      WHERE organization_id = $1 AND (change_until IS NULL OR change_until < now())
      RETURNING organization_id AS "organizationId", database_id AS "databaseId", change_number AS "changeNumber"`,
    values: [organizationId, leaseSeconds],
  });
  const [acquired] = rows;
  if (!acquired) return undefined;
  // Read after the update, which may have waited for an earlier change to commit.
  const { uploadFileId } = await getUploadsDatabase(db.prisma, organizationId);
  return { ...acquired, fileId: uploadFileId };
}

/** Renews the lease until it is stopped. The signal aborts when the lease is lost. */
export function keepChangeLease({ db }: Pick<Deps, "db">, { organizationId, changeNumber }: ChangeLease) {
  const lost = new AbortController();
  const renew = async () => {
    const { rowCount } = await db.pool.query({
      name: "renew_upload_change",
      text: `
        UPDATE upload_stores SET change_until = now() + make_interval(secs => $3)
        WHERE organization_id = $1 AND change_number = $2 AND change_until IS NOT NULL`,
      values: [organizationId, changeNumber, leaseSeconds],
    });
    if (rowCount === 0) lost.abort();
  };
  let renewing = Promise.resolve();
  const timer = setInterval(() => {
    // If renewing keeps failing, the lease expires, and the change cannot commit.
    renewing = renewing.then(renew).catch(() => {});
  }, renewEveryMs);
  return {
    signal: lost.signal,
    async stop() {
      clearInterval(timer);
      await renewing;
    },
  };
}

/** Ends a change that did not commit. */
export async function releaseChange(
  { db }: Pick<Deps, "db">,
  { organizationId, changeNumber }: ChangeLease,
): Promise<void> {
  await db.pool.query({
    name: "release_upload_change",
    text: "UPDATE upload_stores SET change_until = NULL WHERE organization_id = $1 AND change_number = $2",
    values: [organizationId, changeNumber],
  });
}
