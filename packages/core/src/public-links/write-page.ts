import type { Tx } from "@querybell/db";
import { isSameJson, newId, systemClock } from "@querybell/domain";
import type { StoredChoices } from "@querybell/public-pages";
import type { Snapshot } from "./take-snapshot.ts";

interface PageToWrite {
  linkId: string;
  organizationId: string;
  /** Which of the combinations of these choices it shows. */
  number: number;
  choices: StoredChoices;
  snapshot: Snapshot;
}

/** Few enough that encoding them does not block the event loop. */
const filesAtOnce = 8;

/**
 * Replaces a page of a link that the transaction has locked or inserted. An older page never replaces a newer one. Does nothing
 * if the link is gone or has other choices by now: the number would mean other values.
 */
export async function writePage(
  tx: Tx,
  { linkId, organizationId, number, choices, snapshot: { readAt, content, files, charts } }: PageToWrite,
): Promise<void> {
  const link = await tx.publicLink.findUnique({ where: { id: linkId }, select: { choices: true } });
  if (!link || !isSameJson(link.choices, choices)) return;
  await tx.publishedPage.deleteMany({ where: { linkId, number, readAt: { lte: readAt } } });
  if ((await tx.publishedPage.count({ where: { linkId, number } })) > 0) return;
  const version = newId(systemClock);
  const page = { linkId, number, organizationId };
  await tx.publishedPage.create({ data: { ...page, version, readAt, content } });
  await tx.publishedChart.createMany({ data: charts.map((chart) => ({ ...chart, ...page })) });
  for (let at = 0; at < files.length; at += filesAtOnce) {
    await tx.publishedFile.createMany({
      data: files.slice(at, at + filesAtOnce).map((file) => ({ ...file, ...page })),
    });
  }
}
