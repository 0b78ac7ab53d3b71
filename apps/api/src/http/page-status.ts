import { locatePermalink } from "@querybell/core/organizations";
import type { Context } from "../trpc/context.ts";
import type { FoundPage } from "./page-addresses.ts";

const permalinks: Readonly<Record<string, "reference" | "chat">> = {
  "/q/$shortId": "reference",
  "/q/$shortId/edit": "reference",
  "/chats/$shortId": "chat",
};

/**
 * With which status a page of the web app is answered: 404 where a permalink opens nothing for whoever is signed in.
 * Somebody who is not learns nothing: the page asks them to sign in first.
 */
export async function pageStatus(page: FoundPage, context: Context | undefined): Promise<200 | 404> {
  const kind = permalinks[page.address];
  const { shortId } = page.params;
  if (!kind || shortId === undefined || !context?.caller) return 200;
  const { deps, caller } = context;
  const found = await locatePermalink(deps, caller, { kind, shortId });
  return found?.organizationId === caller.organizationId ? 200 : 404;
}
