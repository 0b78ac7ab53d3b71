import type { Guard } from "@querybell/guard";

/** Resolves the host of an analytical database. Throws if the guard does not allow one of its addresses. */
export const resolveDatabaseHost =
  (guard: Guard) =>
  async (host: string): Promise<string[]> => {
    const parsed = guard.parseHost(host);
    const checked = parsed.kind === "host" ? await guard.check(parsed) : parsed;
    if (checked.kind === "checked") return [...checked.addresses];
    const hint = " If it is the operator's own network, they can allow it with ANALYTICS_NETWORKS.";
    throw new Error(checked.kind === "refused_address" ? checked.message + hint : checked.message);
  };
