import type { Prisma } from "@querybell/db";
import {
  type AddDomain,
  AppError,
  type Caller,
  type DomainId,
  newId,
  type OrganizationDomain,
} from "@querybell/domain";
import { recordAudit } from "../audit.ts";
import type { Deps } from "../deps.ts";
import { newSecretToken } from "../identity/secret-token.ts";

const maxDomains = 50;

export async function listDomains({ db }: Deps, { organizationId }: Caller): Promise<OrganizationDomain[]> {
  const rows = await db.prisma.organizationDomain.findMany({
    where: { organizationId },
    orderBy: { domain: "asc" },
  });
  return rows.map(toDomain);
}

const toDomain = (row: Prisma.OrganizationDomainModel): OrganizationDomain => ({
  id: row.id,
  domain: row.domain,
  record: recordOf(row),
  provenAt: row.provenAt?.toISOString() ?? null,
});

const recordOf = ({ domain, token }: Pick<Prisma.OrganizationDomainModel, "domain" | "token">) => ({
  name: `_querybell.${domain}`,
  value: `querybell-domain=${token}`,
});

/** The domain counts only once its TXT record was found. */
export async function addDomain(
  deps: Deps,
  caller: Caller,
  { domain }: AddDomain,
): Promise<OrganizationDomain> {
  requireOwnerRole(caller);
  const { organizationId } = caller;
  return deps.db.transaction(async (tx) => {
    const existing = await tx.organizationDomain.findMany({ where: { organizationId } });
    const same = existing.find((one) => one.domain === domain);
    if (same) return toDomain(same);
    if (existing.length >= maxDomains) {
      throw new AppError("conflict", `There are ${maxDomains} domains. Remove one first.`);
    }
    const token = newSecretToken();
    const row = await tx.organizationDomain.create({
      data: { id: newId(deps.clock), organizationId, domain, token, createdAt: deps.clock.now() },
    });
    await recordAudit({ ...deps, tx }, caller, {
      action: "domain.added",
      targetId: row.id,
      detail: { domain },
    });
    return toDomain(row);
  });
}

/** Asks name servers for the TXT record. It proves that the organization owns the domain, and so its addresses. */
export async function checkDomain(deps: Deps, caller: Caller, { id }: DomainId): Promise<OrganizationDomain> {
  requireOwnerRole(caller);
  const { organizationId } = caller;
  const row = await deps.db.prisma.organizationDomain.findFirst({ where: { id, organizationId } });
  if (!row) throw noDomain();
  if (row.provenAt) return toDomain(row);
  const { name, value } = recordOf(row);
  const found = await deps.singleSignOn.resolveTxt(name).catch(() => []);
  if (!found.some((parts) => parts.join("") === value)) {
    throw new AppError(
      "domain_unproven",
      `The TXT record ${name} was not found yet, or has another value. New records can take an hour to be seen.`,
    );
  }
  return deps.db.transaction(async (tx) => {
    const proven = await tx.organizationDomain.updateManyAndReturn({
      where: { id, organizationId, token: row.token },
      data: { provenAt: deps.clock.now() },
    });
    if (!proven[0]) throw noDomain();
    const { domain } = row;
    await recordAudit({ ...deps, tx }, caller, { action: "domain.proven", targetId: id, detail: { domain } });
    return toDomain(proven[0]);
  });
}

export async function removeDomain(deps: Deps, caller: Caller, { id }: DomainId): Promise<void> {
  requireOwnerRole(caller);
  await deps.db.transaction(async (tx) => {
    const where = { id, organizationId: caller.organizationId };
    const row = await tx.organizationDomain.findFirst({ where });
    if (!row) throw noDomain();
    await tx.organizationDomain.delete({ where: { id } });
    const { domain } = row;
    await recordAudit({ ...deps, tx }, caller, {
      action: "domain.removed",
      targetId: id,
      detail: { domain },
    });
  });
}

const noDomain = () =>
  new AppError("not_found", "There is no such domain. It may have been removed already.");

/** Whether the organization has proven to own the domain of an address. Domains inside of it are other domains. */
export async function ownsAddress(
  { organizationDomain }: Pick<Deps["db"]["prisma"], "organizationDomain">,
  { organizationId, email }: { organizationId: string; email: string },
): Promise<boolean> {
  const domain = email.slice(email.lastIndexOf("@") + 1);
  const found = await organizationDomain.findFirst({
    where: { organizationId, domain, provenAt: { not: null } },
  });
  return found !== null;
}

/** Whoever chooses the provider chooses who can sign in as whom in the organization, also as an owner. */
export function requireOwnerRole({ role }: Pick<Caller, "role">): void {
  if (role !== "owner")
    throw new AppError("forbidden", "Only owners of the organization can do this. Ask one.");
}
