import type { Tx } from "@querybell/db";
import { AppError, type DestinationChoice, RowRecipients } from "@querybell/domain";
import type { Deps } from "../deps.ts";

type Policy = NonNullable<DestinationChoice["rowRecipients"]>;

export const toRowRecipients = (stored: unknown): Policy | null => RowRecipients.nullable().parse(stored);

/** Throws if an admin allows addresses of a domain that the organization has not proven to own. */
export async function checkRowRecipients(
  tx: Pick<Tx, "organizationDomain">,
  organizationId: string,
  { domains }: Policy,
): Promise<void> {
  const proven = new Set(await findProvenDomains(tx, organizationId, domains));
  const errors = domains.flatMap((domain, at) => {
    const message = `The organization has not proven to own ${domain}. Prove it under Settings → Sign-in, or take it out`;
    return proven.has(domain) ? [] : [{ path: `rowRecipients.domains.${at}`, message }];
  });
  const [first] = errors;
  if (first) throw new AppError("invalid_request", `${first.message}.`, { errors });
}

const findProvenDomains = async (
  tx: Pick<Tx, "organizationDomain">,
  organizationId: string,
  domains: readonly string[],
): Promise<string[]> => {
  const rows = await tx.organizationDomain.findMany({
    where: { organizationId, domain: { in: [...domains] }, provenAt: { not: null } },
    select: { domain: true },
  });
  return rows.map(({ domain }) => domain);
};

/** The same for one address, with the policy as it is now. */
export async function mayWriteTo(
  deps: Pick<Deps, "db">,
  { endpointId, ownAddresses, address }: { endpointId: string; ownAddresses: string[]; address: string },
): Promise<boolean> {
  const { organizationId, rowRecipients } = await deps.db.prisma.webhookEndpoint.findUniqueOrThrow({
    where: { id: endpointId },
    select: { organizationId: true, rowRecipients: true },
  });
  const policy = toRowRecipients(rowRecipients);
  const addresses = [address];
  return (await findAllowedAddresses(deps, { organizationId, policy, ownAddresses, addresses })).has(address);
}

const domainOf = (address: string): string => address.slice(address.lastIndexOf("@") + 1);

interface AllowedAddress {
  /** Whether it is known to be the address of a member. */
  isMember: boolean;
}

interface Wanted {
  organizationId: string;
  policy: Policy | null;
  /** Of the destination itself: an admin has entered them. */
  ownAddresses: readonly string[];
  /** In lower case. */
  addresses: readonly string[];
}

/**
 * Which of the addresses, which rows of the data name, a mail destination may write to now. Rows are written by anybody, so an
 * address counts only if an admin has entered it, if it is the proven one of a member, or if its domain is the organization's.
 */
export async function findAllowedAddresses(
  { db }: Pick<Deps, "db">,
  { organizationId, policy, ownAddresses, addresses }: Wanted,
): Promise<ReadonlyMap<string, AllowedAddress>> {
  const allowed = new Map<string, AllowedAddress>();
  if (!policy) return allowed;
  const own = new Set(ownAddresses);
  // A domain that is not proven any more counts no more.
  const domains =
    policy.domains.length === 0
      ? new Set<string>()
      : new Set(await findProvenDomains(db.prisma, organizationId, policy.domains));
  for (const address of addresses) {
    if (own.has(address) || domains.has(domainOf(address))) allowed.set(address, { isMember: false });
  }
  if (policy.members) {
    const people = await db.prisma.user.findMany({
      where: {
        email: { in: [...addresses] },
        emailVerified: true,
        disabledAt: null,
        serviceOrganizationId: null,
        memberships: { some: { organizationId } },
      },
      select: { email: true },
    });
    for (const { email } of people) allowed.set(email, { isMember: true });
  }
  return allowed;
}
