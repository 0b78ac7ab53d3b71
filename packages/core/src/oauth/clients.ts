import type { Tx } from "@querybell/db";
import { AppError, cutText, Id, newId, toStorable } from "@querybell/domain";
import { createGuardedFetch } from "@querybell/models";
import { z } from "zod";
import type { Deps } from "../deps.ts";
import { toPlain } from "../plain-text.ts";
import { hostOf, isRedirectUri, OAuthError } from "./protocol.ts";

/** A program that people can connect. */
export interface Client {
  /** Null for a program that describes itself and was never connected: it is not stored. */
  id: string | null;
  /** The id that the program uses for itself. */
  clientId: string;
  name: string;
  redirectUris: readonly string[];
}

export const unknownClient = () =>
  new AppError(
    "not_found",
    "Querybell does not know this program, or not any more. Remove Querybell in the program, and connect it again.",
  );

/** It stands in the heading of the page on which people agree. */
const maxNameLength = 60;
/** Programs that have registered themselves and that nobody has connected yet. */
const maxUnusedClients = 10_000;

/** What a program says about itself: RFC 7591, and client id metadata documents. Other fields are ignored. */
const ClientMetadata = z.object({
  client_name: z.string().max(1_000).optional(),
  redirect_uris: z.array(z.string()).min(1).max(20),
  grant_types: z.array(z.string()).max(20).optional(),
  response_types: z.array(z.string()).max(20).optional(),
});

function parseMetadata(given: unknown): { name: string; redirectUris: string[] } {
  const { data, error } = ClientMetadata.safeParse(given);
  if (error) {
    const [issue] = error.issues;
    const about = issue?.path.join(".") || "the body";
    throw new OAuthError("invalid_client_metadata", `${about}: ${issue?.message}`);
  }
  const { grant_types: grants, response_types: responses } = data;
  if ((grants && !grants.includes("authorization_code")) || (responses && !responses.includes("code"))) {
    throw new OAuthError("invalid_client_metadata", "Only the flow with an authorization code is offered.");
  }
  const refused = data.redirect_uris.find((uri) => !isRedirectUri(uri));
  if (refused !== undefined) {
    throw new OAuthError(
      "invalid_redirect_uri",
      `${JSON.stringify(cutText(refused, 200))} cannot be used: it must be https, http on 127.0.0.1, [::1] or localhost, or a scheme with a domain name, without a fragment or a password.`,
    );
  }
  const name = toPlain(cutText(toStorable(data.client_name ?? ""), maxNameLength), maxNameLength).trim();
  return { name: name || hostOf(data.redirect_uris[0] ?? ""), redirectUris: data.redirect_uris };
}

/** Registers a program that is not known yet. Nothing that it says is checked. */
export async function registerClient(
  { db, clock }: Pick<Deps, "db" | "clock">,
  given: unknown,
): Promise<Client> {
  const { name, redirectUris } = parseMetadata(given);
  const id = newId(clock);
  const now = clock.now();
  const { rowCount } = await db.pool.query({
    name: "register_client",
    text: `
      INSERT INTO oauth_clients (id, name, redirect_uris, created_at, read_at) SELECT $1, $2, $3, $4, $4
      WHERE (SELECT count(*) FROM (SELECT FROM oauth_clients WHERE created_at > $5 LIMIT $6) AS recent) < $6`,
    values: [id, name, redirectUris, now, new Date(now.getTime() - unusedMs), maxUnusedClients],
  });
  if (rowCount === 0) {
    throw new OAuthError(
      "temporarily_unavailable",
      "Too many programs have registered today. Try again later.",
    );
  }
  return { id, clientId: id, name, redirectUris };
}

/** The program with this client id. A program that describes itself is read where its id says. */
export async function findClient(deps: Deps, clientId: string): Promise<Client | undefined> {
  if (clientId.startsWith("https://")) return findDescribedClient(deps, clientId);
  const { data: id } = Id.safeParse(clientId);
  const row = id && (await deps.db.prisma.oauthClient.findUnique({ where: { id } }));
  if (!row || row.metadataUrl !== null) return undefined;
  return { id: row.id, clientId: row.id, name: row.name, redirectUris: row.redirectUris };
}

const readEveryMs = 60 * 60 * 1000;
const documentLimits = { silenceMs: 5_000, maxBytes: 16 * 1024 };

async function findDescribedClient(deps: Deps, url: string): Promise<Client | undefined> {
  const { db, clock } = deps;
  const now = clock.now();
  const known = await db.prisma.oauthClient.findUnique({ where: { metadataUrl: url } });
  if (known && now.getTime() - known.readAt.getTime() < readEveryMs) {
    return { id: known.id, clientId: url, name: known.name, redirectUris: known.redirectUris };
  }
  const metadata = await readDocument(deps, url);
  if (!metadata) return undefined;
  if (known) {
    await db.prisma.oauthClient.update({ where: { id: known.id }, data: { readAt: now, ...metadata } });
  }
  return { id: known?.id ?? null, clientId: url, ...metadata };
}

/** The id of the row of a program, which is stored if it was not. */
export async function storeClient(
  { tx, clock }: { tx: Tx } & Pick<Deps, "clock">,
  { id, clientId: metadataUrl, name, redirectUris }: Client,
): Promise<string> {
  if (id !== null) {
    const [kept] = await tx.$queryRaw<{ id: string }[]>`
      SELECT id FROM oauth_clients WHERE id = ${id}::uuid FOR KEY SHARE`;
    // It was purged since it was found.
    if (!kept) throw unknownClient();
    return id;
  }
  const now = clock.now();
  const content = { name, redirectUris: [...redirectUris], readAt: now };
  const stored = await tx.oauthClient.upsert({
    where: { metadataUrl },
    create: { id: newId(clock), metadataUrl, createdAt: now, ...content },
    update: content,
  });
  return stored.id;
}

/** Reads the document of a program from a checked address. Why that failed is not said: it could be used to scan a network. */
async function readDocument({ singleSignOn }: Pick<Deps, "singleSignOn">, url: string) {
  const parsed = URL.parse(url);
  if (!parsed || parsed.pathname === "/" || parsed.href !== url) return undefined;
  const guarded = createGuardedFetch(singleSignOn.guards.organizations, documentLimits);
  try {
    const answer = await guarded.fetch(url, {
      method: "GET",
      headers: { accept: "application/json" },
      signal: AbortSignal.timeout(documentLimits.silenceMs),
    });
    if (answer.status !== 200) return undefined;
    const document: unknown = await answer.json();
    const { client_id: named } = z.object({ client_id: z.string() }).parse(document);
    return named === url ? parseMetadata(document) : undefined;
  } catch {
    return undefined;
  } finally {
    await guarded.close();
  }
}

const unusedMs = 24 * 60 * 60 * 1000;

/** Deletes programs that nobody has connected in a day. One that comes back registers again. */
export async function purgeUnusedClients({ db, clock }: Pick<Deps, "db" | "clock">): Promise<number> {
  const { rowCount } = await db.pool.query({
    name: "purge_unused_clients",
    text: `
      DELETE FROM oauth_clients c WHERE c.created_at < $1
        AND NOT EXISTS (SELECT FROM api_keys k WHERE k.client_id = c.id)
        AND NOT EXISTS (SELECT FROM oauth_codes o WHERE o.client_id = c.id AND o.expires_at > $2)`,
    values: [new Date(clock.now().getTime() - unusedMs), clock.now()],
  });
  return rowCount ?? 0;
}
