import type { HostResolution } from "@querybell/engines";
import type { Guard } from "@querybell/guard";

/** Resolves the host of an analytical database to addresses that the guard allows, or says why it does not. */
export const resolveDatabaseHost =
  (guard: Guard) =>
  async (host: string): Promise<HostResolution> => {
    const parsed = guard.parseHost(host);
    const checked = parsed.kind === "host" ? await guard.check(parsed) : parsed;
    if (checked.kind === "checked") return { addresses: checked.addresses };
    const hint = " If it is the operator's own network, they can allow it with ANALYTICS_NETWORKS.";
    return { refusal: checked.kind === "refused_address" ? checked.message + hint : checked.message };
  };
