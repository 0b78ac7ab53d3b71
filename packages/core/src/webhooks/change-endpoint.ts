import { isDeepStrictEqual } from "node:util";
import { Prisma, type Tx } from "@querybell/db";
import {
  AppError,
  type Caller,
  type CreatedWebhookEndpoint,
  type CreateWebhookEndpoint,
  type InputError,
  newId,
  UpdateWebhookEndpoint,
  type WebhookEndpoint,
  type WebhookEndpointId,
  WebhookEventType,
} from "@querybell/domain";
import {
  cancelHeldDeliveries,
  checkCustomHeaders,
  holdPendingDeliveries,
  sealHeaders,
} from "@querybell/webhooks";
import { recordAudit } from "../audit.ts";
import type { Deps } from "../deps.ts";
import { checkFilter, describeFilter, StoredFilter } from "./endpoint-filter.ts";
import { bumpRevision, lockEndpoint, lockWebhook, readEndpoint, toAuditRecord } from "./get-endpoint.ts";
import { insertSecret } from "./secrets.ts";

export async function createEndpoint(
  deps: Deps,
  caller: Caller,
  input: CreateWebhookEndpoint,
): Promise<CreatedWebhookEndpoint> {
  await checkEndpoint(deps, input);
  return deps.db.transaction((tx) => insertEndpoint({ ...deps, tx }, caller, input));
}

/** Inserts an endpoint whose URL and headers have been checked. */
export async function insertEndpoint(
  deps: { tx: Tx } & Pick<Deps, "clock" | "sealer">,
  { organizationId, userId }: Pick<Caller, "organizationId" | "userId">,
  { headers, filter, ...settings }: CreateWebhookEndpoint,
): Promise<CreatedWebhookEndpoint> {
  const { eventTypes } = settings;
  await checkFilter(deps.tx, { organizationId }, { eventTypes, filter, before: null });
  const id = newId(deps.clock);
  const now = deps.clock.now();
  await deps.tx.webhookEndpoint.create({
    data: {
      ...settings,
      filter: filter ?? Prisma.DbNull,
      id,
      organizationId,
      sealedHeaders: sealHeaders(deps.sealer, id, headers),
      createdBy: userId,
      createdAt: now,
      updatedAt: now,
    },
  });
  const secret = await insertSecret(deps, id, now);
  const detail = { url: settings.url, eventTypes, ...(filter && { filter: describeFilter(filter) }) };
  const record = { action: "webhook_endpoint.created", targetId: id, detail } as const;
  await recordAudit(deps, { organizationId, userId }, record);
  return { ...(await readEndpoint(deps, id)), secret };
}

/** Changes apply from the next attempt on, also to deliveries that are pending already. */
export async function updateEndpoint(
  deps: Deps,
  caller: Caller,
  { id, headers, filter, ...input }: UpdateWebhookEndpoint,
): Promise<WebhookEndpoint> {
  await checkEndpoint(deps, { url: input.url, headers });
  const settings = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
  return deps.db.transaction(async (tx) => {
    const row = await lockWebhook(tx, caller, id);
    const stored = StoredFilter.parse(row.filter);
    await checkFilter(tx, caller, {
      eventTypes: input.eventTypes ?? WebhookEventType.array().parse(row.eventTypes),
      filter: filter === undefined ? stored : filter,
      before: stored,
    });
    const before = await readEndpoint({ ...deps, tx }, id);
    await tx.webhookEndpoint.update({
      where: { id },
      data: {
        ...settings,
        ...(filter !== undefined && { filter: filter ?? Prisma.DbNull }),
        ...(headers && { sealedHeaders: sealHeaders(deps.sealer, id, headers) }),
      },
    });
    await bumpRevision({ ...deps, tx }, id);
    const after = await readEndpoint({ ...deps, tx }, id);
    // A form sends every field: what it left as it was has not changed.
    const fields = UpdateWebhookEndpoint.keyof().options;
    const changed = fields.filter((field) => !isDeepStrictEqual(before[field], after[field]));
    await recordAudit({ ...deps, tx }, caller, {
      action: "webhook_endpoint.changed",
      targetId: id,
      detail: {
        ...{ url: after.url, changed },
        ...(filter !== undefined && changed.includes("filter") && { filter: describeFilter(filter) }),
      },
    });
    return after;
  });
}

/** Cancels unfinished deliveries and deletes the secrets. The history of deliveries stays until it is purged. */
export async function deleteEndpoint(deps: Deps, caller: Caller, { id }: WebhookEndpointId): Promise<void> {
  await deps.db.transaction(async (tx) => {
    const row = await lockEndpoint(tx, caller, id);
    const now = deps.clock.now();
    await tx.webhookEndpoint.update({
      where: { id },
      data: { state: "deleted", disabledReason: null, disabledAt: null },
    });
    await tx.webhookSecret.deleteMany({ where: { endpointId: id } });
    await tx.automationDestination.deleteMany({ where: { endpointId: id } });
    await tx.webhookRecovery.updateMany({
      where: { endpointId: id, state: "running" },
      data: { state: "cancelled", endedAt: now },
    });
    await cancelHeldDeliveries(tx, id);
    // Cancels them: the endpoint is deleted by now.
    await holdPendingDeliveries(tx, id);
    await recordAudit({ ...deps, tx }, caller, toAuditRecord(row, "deleted"));
    await bumpRevision({ ...deps, tx }, id);
  });
}

/** How long the name servers may take to answer before the form gets an error. */
const lookupTimeoutMs = 5_000;

interface EndpointInput {
  url?: string | undefined;
  headers?: Record<string, string> | undefined;
}

/** Throws if a custom header would override one of ours, or if the guard refuses the URL or its addresses. */
async function checkEndpoint(
  { guard }: Pick<Deps, "guard">,
  { url, headers = {} }: EndpointInput,
): Promise<void> {
  const problems: InputError[] = [...checkCustomHeaders(headers)];
  const refusal = url === undefined ? undefined : await refuseUrl(guard, url);
  if (refusal) problems.push({ path: "url", message: refusal });
  if (problems.length === 0) return;
  const [first] = problems;
  throw new AppError("invalid_request", refusal ?? `${first?.path} ${first?.message}.`, { errors: problems });
}

/** Why the guard refuses a URL; undefined if it does not. */
export async function refuseUrl(guard: Deps["guard"], url: string): Promise<string | undefined> {
  const target = guard.parseTarget(url);
  if (target.kind !== "target") return target.message;
  try {
    const checked = await guard.check(target.host, AbortSignal.timeout(lookupTimeoutMs));
    return checked.kind === "checked" ? undefined : checked.message;
  } catch {
    return `The name ${target.host.name} could not be looked up in time. Try again shortly.`;
  }
}
