import { newPageToken } from "@querybell/public-pages";
import type { PictureAddress } from "@querybell/webhooks";
import type { Deps } from "../deps.ts";
import type { ToldRun } from "./read-message.ts";
import { linkedLook, readPictures } from "./read-pictures.ts";

/** As long as people look back at messages of a channel. */
const pictureDays = 30;
/** Teams shows no larger ones. */
const maxPictureBytes = 1_000_000;

type LinkDeps = Pick<Deps, "db" | "engines" | "clock" | "deployment">;

/**
 * The addresses of the pictures of a run, for places that open pictures by themselves. They are drawn and stored once for
 * each event, so that every attempt and every destination names the same ones. None if public links are off, or if the rows
 * of a chart depend on who looks at it.
 */
export async function linkPictures(
  deps: LinkDeps,
  { eventId, run }: { eventId: string; run: ToldRun },
): Promise<PictureAddress[]> {
  const { publicPagesUrl } = deps.deployment;
  if (publicPagesUrl === null || !(await allowsPublicLinks(deps, run))) return [];
  const stored = await findStored(deps, eventId);
  const found = stored.length > 0 ? stored : await storePictures(deps, { eventId, run });
  return found.map(({ title, token }) => ({ title, url: `${publicPagesUrl}/p/pictures/${token}.png` }));
}

async function allowsPublicLinks({ db }: LinkDeps, { organizationId }: ToldRun): Promise<boolean> {
  const found = await db.prisma.organization.findUnique({
    where: { id: organizationId },
    select: { publicLinks: true },
  });
  return found?.publicLinks ?? false;
}

const findStored = ({ db, clock }: LinkDeps, eventId: string) =>
  db.prisma.messagePicture.findMany({
    where: { eventId, expiresAt: { gt: clock.now() } },
    select: { title: true, token: true },
    orderBy: { position: "asc" },
  });

async function storePictures(
  deps: LinkDeps,
  { eventId, run }: { eventId: string; run: ToldRun },
): Promise<{ title: string; token: string }[]> {
  const expiresAt = new Date(deps.clock.now().getTime() + pictureDays * 24 * 60 * 60 * 1000);
  const rows = [];
  for (const { title, png, shows } of await readPictures(deps, run, linkedLook)) {
    if (!shows || png.length > maxPictureBytes) continue;
    rows.push({
      ...{ eventId, position: rows.length, organizationId: run.organizationId, title, expiresAt },
      ...newPageToken(),
      png: new Uint8Array(png),
      referenceIds: shows.map(({ referenceId }) => referenceId),
      rowRightsVersions: shows.map(({ rowRightsVersion }) => rowRightsVersion),
    });
  }
  if (rows.length === 0) return [];
  // A message to another destination may have stored them meanwhile: then its addresses count.
  await deps.db.prisma.messagePicture.createMany({ data: rows, skipDuplicates: true });
  return findStored(deps, eventId);
}
