import { Prisma, type Tx } from "@querybell/db";
import {
  AppError,
  type Caller,
  type CreateDestination,
  type Destination,
  maxDestinations,
  newId,
  type UpdateDestination,
} from "@querybell/domain";
import { sealHeaders, sealSecret } from "@querybell/webhooks";
import { recordAudit } from "../audit.ts";
import type { Deps } from "../deps.ts";
import { lockRow } from "../lock-row.ts";
import { refuseUrl } from "../webhooks/change-endpoint.ts";
import { bumpRevision, lockEndpoint, toAuditRecord } from "../webhooks/get-endpoint.ts";
import { destinationNotFound, formatAddresses, readDestination } from "./get-destination.ts";
import { checkRowRecipients } from "./row-recipients.ts";

/** One message at a time and one a second: what every one of these places takes. */
const pace = { maxInFlight: 1, maxPerSecond: 1 };

/** What is stored of an address: sealed as a whole, and the part that the log may show. */
interface Address {
  secret: string;
  shown: string;
}

export async function createDestination(
  deps: Deps,
  caller: Caller,
  input: CreateDestination,
): Promise<Destination> {
  const address = input.kind === "mail" ? toMailAddress(deps, input.addresses) : await toUrl(deps, input.url);
  return deps.db.transaction(async (tx) => {
    const { organizationId, userId } = caller;
    // Serializes creations, so that two at once do not exceed the limit.
    await lockRow(tx, { table: "organizations", key: { id: organizationId }, strength: "NO KEY UPDATE" });
    await requireRoom(tx, organizationId);
    const rowRecipients = input.kind === "mail" ? (input.rowRecipients ?? null) : null;
    if (rowRecipients) await checkRowRecipients(tx, organizationId, rowRecipients);
    const id = newId(deps.clock);
    const now = deps.clock.now();
    const row = await tx.webhookEndpoint.create({
      data: {
        ...{ id, organizationId, kind: input.kind, url: address.shown, description: input.name, ...pace },
        ...{ eventTypes: [], standardWebhooks: false, sealedHeaders: sealHeaders(deps.sealer, id, {}) },
        ...{
          createdBy: userId,
          createdAt: now,
          updatedAt: now,
          rowRecipients: rowRecipients ?? Prisma.DbNull,
        },
      },
    });
    await storeAddress({ ...deps, tx }, id, address);
    await recordAudit({ ...deps, tx }, caller, toAuditRecord(row, "created"));
    return readDestination({ ...deps, tx }, caller, id);
  });
}

async function requireRoom(tx: Tx, organizationId: string): Promise<void> {
  const existing = await tx.webhookEndpoint.count({
    where: { organizationId, kind: { notIn: ["webhook", "mcp"] }, state: { not: "deleted" } },
  });
  if (existing < maxDestinations) return;
  throw new AppError(
    "conflict",
    `An organization has at most ${maxDestinations} destinations. Delete one that nobody needs.`,
  );
}

/** Changes apply from the next attempt on, also to deliveries that are pending already. */
export async function updateDestination(
  deps: Deps,
  caller: Caller,
  { id, name, url, addresses, rowRecipients }: UpdateDestination,
): Promise<Destination> {
  const given = addresses
    ? toMailAddress(deps, addresses)
    : url === undefined
      ? undefined
      : await toUrl(deps, url);
  return deps.db.transaction(async (tx) => {
    const row = await lockEndpoint(tx, caller, id);
    if (row.kind === "webhook") throw destinationNotFound();
    refuseOtherFields(row.kind, { url, addresses, rowRecipients });
    if (rowRecipients) await checkRowRecipients(tx, caller.organizationId, rowRecipients);
    const changed = [
      ...(name !== undefined && name !== row.description ? ["name"] : []),
      ...(given ? ["address"] : []),
      ...(rowRecipients !== undefined ? ["rowRecipients"] : []),
    ];
    const updated = await tx.webhookEndpoint.update({
      where: { id },
      data: {
        description: name ?? row.description,
        url: given?.shown ?? row.url,
        ...(rowRecipients !== undefined && { rowRecipients: rowRecipients ?? Prisma.DbNull }),
      },
    });
    if (given) await storeAddress({ ...deps, tx }, id, given);
    await bumpRevision({ ...deps, tx }, id);
    await recordAudit({ ...deps, tx }, caller, toAuditRecord(updated, "changed", { changed }));
    return readDestination({ ...deps, tx }, caller, id);
  });
}

function refuseOtherFields(
  kind: string,
  { url, ...ofMail }: Pick<UpdateDestination, "url" | "addresses" | "rowRecipients">,
): void {
  const fields =
    kind === "mail"
      ? [["url", url, "is not for mail"] as const]
      : Object.entries(ofMail).map(([path, value]) => [path, value, "is for mail only"] as const);
  const wrong = fields.find(([, value]) => value !== undefined);
  if (!wrong) return;
  const [path, , message] = wrong;
  throw new AppError("invalid_request", `${path} ${message}. Leave it out.`, { errors: [{ path, message }] });
}

/** Replaces the address: it is the only secret of a destination. */
async function storeAddress(
  { tx, clock, sealer }: { tx: Tx } & Pick<Deps, "clock" | "sealer">,
  endpointId: string,
  { secret }: Address,
): Promise<void> {
  const now = clock.now();
  await tx.webhookSecret.deleteMany({ where: { endpointId } });
  await tx.webhookSecret.create({
    data: {
      ...{ id: newId(clock), endpointId, createdAt: now, signsFrom: now },
      sealed: sealSecret(sealer, endpointId, secret),
    },
  });
}

async function toUrl({ guard }: Pick<Deps, "guard">, url: string): Promise<Address> {
  const refusal = await refuseUrl(guard, url);
  if (refusal !== undefined) {
    throw new AppError("invalid_request", refusal, { errors: [{ path: "url", message: refusal }] });
  }
  return { secret: url, shown: new URL(url).host };
}

function toMailAddress({ deployment }: Pick<Deps, "deployment">, addresses: string[]): Address {
  if (!deployment.sendsMail) {
    const message = "This deployment has no mail server. Ask its operator to set SMTP_URL.";
    throw new AppError("invalid_request", message, { errors: [{ path: "addresses", message }] });
  }
  const shown = addresses.length === 1 ? "1 mail address" : `${addresses.length} mail addresses`;
  return { secret: formatAddresses(addresses), shown };
}
