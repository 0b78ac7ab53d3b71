import type { Procedure } from "./procedures.ts";

/** Who may call a procedure, in words. */
export function whoMayCall({ access, scope, needsWebhooks }: Procedure): string {
  switch (access) {
    case "public":
      return "anybody";
    case "person":
      return "anybody who is signed in";
    case "key":
      return "any API key";
    case "member":
      return scope ? `members, and API keys with the scope \`${scope}\`` : "members";
    case "admin":
      return needsWebhooks ? "admins, where webhooks are enabled" : "admins";
  }
}
