import type { Tx } from "@querybell/db";
import { newId, systemClock } from "@querybell/domain";
import type { Snapshot } from "./take-snapshot.ts";

interface PageToWrite {
  linkId: string;
  organizationId: string;
  snapshot: Snapshot;
}

/** Few enough that encoding them does not block the event loop. */
const filesAtOnce = 8;

/** Replaces the page of a link that the transaction has locked or inserted. An older page never replaces a newer one. */
export async function writePage(
  tx: Tx,
  { linkId, organizationId, snapshot: { readAt, content, files, charts } }: PageToWrite,
): Promise<void> {
  await tx.publishedPage.deleteMany({ where: { linkId, readAt: { lte: readAt } } });
  if ((await tx.publishedPage.count({ where: { linkId } })) > 0) return;
  const version = newId(systemClock);
  await tx.publishedPage.create({ data: { linkId, organizationId, version, readAt, content } });
  await tx.publishedChart.createMany({ data: charts.map((chart) => ({ ...chart, linkId, organizationId })) });
  for (let at = 0; at < files.length; at += filesAtOnce) {
    await tx.publishedFile.createMany({
      data: files.slice(at, at + filesAtOnce).map((file) => ({ ...file, linkId, organizationId })),
    });
  }
}
