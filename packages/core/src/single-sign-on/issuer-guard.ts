import type { Guard } from "@querybell/guard";
import type { UrlGuard } from "@querybell/models";

/** Checks each URL of a provider: its issuer and the endpoints that it names, which can be on other hosts. */
export const createIssuerGuard = (guard: Guard): UrlGuard => ({
  async check(text, signal) {
    const target = guard.parseTarget(text);
    if (target.kind !== "target") return { kind: "refused", message: target.message };
    const checked = await guard.check(target.host, signal);
    if (checked.kind !== "checked") return { kind: "refused", message: checked.message };
    return { kind: "checked", url: new URL(target.href), addresses: checked.addresses, isPublic: true };
  },
});
