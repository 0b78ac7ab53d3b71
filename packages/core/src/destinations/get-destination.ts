import type { Prisma, Tx } from "@querybell/db";
import {
  AppError,
  type Caller,
  type Destination,
  type DestinationChoice,
  type DestinationId,
  DestinationKind,
  Email,
  WebhookEndpointState,
} from "@querybell/domain";
import { openSecret } from "@querybell/webhooks";
import type { Deps } from "../deps.ts";
import { countUnfinished, type UnfinishedCounts, unsealOrUndefined } from "../webhooks/get-endpoint.ts";
import { toRowRecipients } from "./row-recipients.ts";

export const destinationNotFound = () =>
  new AppError("not_found", "There is no such destination in this organization. It may have been deleted.");

/** Endpoints of these kinds are destinations. */
const isDestination = { kind: { in: DestinationKind.options }, state: { not: "deleted" } } as const;

/** The columns of a destination that everybody sees who can choose it. */
export const destinationChoice = {
  id: true,
  kind: true,
  description: true,
  state: true,
  rowRecipients: true,
} as const;

const withAddress = { secrets: { orderBy: { signsFrom: "desc" }, take: 1 } } as const;

type DestinationRow = Prisma.WebhookEndpointModel & { secrets: Prisma.WebhookSecretModel[] };

/** By name, as people choose them for an automation. */
export async function listDestinationChoices(
  { db }: Pick<Deps, "db">,
  { organizationId }: Caller,
): Promise<DestinationChoice[]> {
  const rows = await db.prisma.webhookEndpoint.findMany({
    where: { organizationId, ...isDestination },
    select: destinationChoice,
    orderBy: [{ description: "asc" }, { id: "asc" }],
  });
  return rows.map(toDestinationChoice);
}

/** By name. */
export async function listDestinations(deps: Deps, { organizationId }: Caller): Promise<Destination[]> {
  const rows = await deps.db.prisma.webhookEndpoint.findMany({
    where: { organizationId, ...isDestination },
    include: withAddress,
    orderBy: [{ description: "asc" }, { id: "asc" }],
  });
  const unfinished = await countUnfinished(
    deps.db.prisma,
    rows.map(({ id }) => id),
  );
  return rows.map((row) => toDestination(deps, row, unfinished(row.id)));
}

export const getDestination = (deps: Deps, caller: Caller, { id }: DestinationId): Promise<Destination> =>
  readDestination({ ...deps, tx: deps.db.prisma }, caller, id);

export async function readDestination(
  { tx, sealer }: { tx: Tx } & Pick<Deps, "sealer">,
  { organizationId }: Pick<Caller, "organizationId">,
  id: string,
): Promise<Destination> {
  const row = await tx.webhookEndpoint.findFirst({
    where: { id, organizationId, ...isDestination },
    include: withAddress,
  });
  if (!row) throw destinationNotFound();
  const unfinished = await countUnfinished(tx, [id]);
  return toDestination({ sealer }, row, unfinished(id));
}

export const toDestinationChoice = (
  row: Pick<DestinationRow, keyof typeof destinationChoice>,
): DestinationChoice => ({
  id: row.id,
  kind: DestinationKind.parse(row.kind),
  name: row.description,
  state: WebhookEndpointState.parse(row.state),
  rowRecipients: toRowRecipients(row.rowRecipients),
});

const toDestination = (
  { sealer }: Pick<Deps, "sealer">,
  row: DestinationRow,
  unfinished: UnfinishedCounts,
): Destination => ({
  ...toDestinationChoice(row),
  shownAddress: row.url,
  addresses: row.kind === "mail" ? openAddresses({ sealer }, row) : null,
  disabledReason: row.disabledReason,
  disabledAt: row.disabledAt?.toISOString() ?? null,
  consecutiveFailures: row.consecutiveFailures,
  ...unfinished,
  createdBy: row.createdBy,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
});

/** Null if the sealing key is gone. The destination is still listed, so that an admin can set the addresses again. */
export function openAddresses(
  { sealer }: Pick<Deps, "sealer">,
  { id, secrets }: Pick<DestinationRow, "id"> & { secrets: Pick<Prisma.WebhookSecretModel, "sealed">[] },
): string[] | null {
  const [secret] = secrets;
  const opened = secret && unsealOrUndefined(() => openSecret(sealer, id, secret.sealed));
  return opened === undefined ? null : parseAddresses(opened);
}

/** The stored form of mail addresses is JSON. */
export const formatAddresses = (addresses: readonly string[]): string => JSON.stringify(addresses);

export const parseAddresses = (stored: string): string[] => Email.array().parse(JSON.parse(stored));
