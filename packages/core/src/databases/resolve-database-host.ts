import type { HostResolution } from "@querybell/engine-hosts";
import type { Guard, Refusal } from "@querybell/guard";

/** Resolves the host of an analytical database to addresses that the guard allows, or says why it does not. */
export const resolveDatabaseHost =
  (guard: Guard) =>
  async (host: string): Promise<HostResolution> => {
    const parsed = guard.parseHost(host);
    const checked = parsed.kind === "host" ? await guard.check(parsed) : parsed;
    return checked.kind === "checked"
      ? { kind: "resolved", addresses: checked.addresses }
      : { kind: "failed", failure: toFailure(host, checked) };
  };

function toFailure(host: string, { kind, message }: Refusal) {
  const hint =
    kind === "refused_address"
      ? " If it is the operator's own network, they can allow it with ANALYTICS_NETWORKS."
      : "";
  return {
    code: "database_unreachable" as const,
    message: `${host} cannot be connected to: ${message}${hint}`,
  };
}
