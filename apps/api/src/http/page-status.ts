import { locatePermalink } from "@querybell/core/organizations";
import type { Context } from "../trpc/context.ts";
import type { FoundPage } from "./page-addresses.ts";

const permalinks: Readonly<Record<string, "reference" | "chat">> = {
  "/q/$shortId": "reference",
  "/q/$shortId/edit": "reference",
  "/chats/$shortId": "chat",
};

/**
 * The status of a page: 404 if the signed-in person cannot open its permalink. Without a session it is always 200, which
 * reveals nothing: the page asks to sign in first.
 */
export async function pageStatus(page: FoundPage, context: Context | undefined): Promise<200 | 404> {
  const kind = permalinks[page.address];
  const { shortId } = page.params;
  if (!kind || shortId === undefined || !context?.caller) return 200;
  const { deps, caller } = context;
  const found = await locatePermalink(deps, caller, { kind, shortId });
  return found?.organizationId === caller.organizationId ? 200 : 404;
}
