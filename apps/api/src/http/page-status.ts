import type { Deps } from "@querybell/core";
import { resolveSession } from "@querybell/core/identity";
import { locatePermalink } from "@querybell/core/organizations";
import type { FastifyRequest } from "fastify";
import { toFetchHeaders } from "./fetch-headers.ts";

const permalinks = [
  { form: /^\/q\/([^/]+)$/, kind: "reference" },
  { form: /^\/chats\/([^/]+)$/, kind: "chat" },
] as const;

/**
 * With which status an address of the web app is answered: 404 where no page is, and where a permalink opens nothing
 * for whoever is signed in. Somebody who is not learns nothing: the page asks them to sign in first.
 */
export function createPageStatus(deps: Deps, addresses: string[]) {
  return async (request: FastifyRequest): Promise<200 | 404> => {
    const [path = "/"] = request.url.split("?");
    if (!addresses.some((address) => isAt(address, path))) return 404;
    for (const { form, kind } of permalinks) {
      const [, shortId] = form.exec(path) ?? [];
      if (shortId !== undefined) return permalinkStatus(deps, request, { kind, shortId });
    }
    return 200;
  };
}

/** Whether a path is at an address as the web app's router writes it, like `/queries/$queryId`. */
function isAt(address: string, path: string): boolean {
  const wanted = partsOf(address);
  const given = partsOf(path);
  return (
    wanted.length === given.length &&
    wanted.every((part, index) => part === given[index] || (part.startsWith("$") && given[index] !== ""))
  );
}

const partsOf = (path: string): string[] => path.replace(/\/$/, "").split("/");

async function permalinkStatus(
  deps: Deps,
  request: FastifyRequest,
  named: { kind: "reference" | "chat"; shortId: string },
): Promise<200 | 404> {
  // A database that does not answer is for the page to tell.
  const caller = await resolveSession(deps, toFetchHeaders(request)).then(
    (signedIn) => signedIn?.caller,
    () => undefined,
  );
  if (!caller) return 200;
  const found = await locatePermalink(deps, caller, named);
  return found?.organizationId === caller.organizationId ? 200 : 404;
}
