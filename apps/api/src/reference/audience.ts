import type { Procedure } from "./procedures.ts";

/** Who may call a procedure, in words. */
export function audienceOf({ access, scope, needsWebhooks }: Procedure): string {
  switch (access) {
    case "public":
      return "anybody";
    case "person":
      return "anybody who is signed in";
    case "key":
      return "any API key";
    case "member":
      return scope ? `members, and keys with \`${scope}\`` : "members";
    case "admin":
      return needsWebhooks ? "admins, where webhooks are enabled" : "admins";
  }
}
