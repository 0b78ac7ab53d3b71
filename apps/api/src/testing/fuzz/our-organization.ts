import type { Deps } from "@querybell/core";
import { claimRun, createAutomation, triggerAutomation } from "@querybell/core/automations";
import { createInvitation } from "@querybell/core/invitations";
import { createKey } from "@querybell/core/keys";
import { createPasswordResetLink } from "@querybell/core/members";
import { createQuery } from "@querybell/core/queries";
import { createOptimisticReference, createReference } from "@querybell/core/references";
import { runQuery } from "@querybell/core/runs";
import { execute, testPassword } from "@querybell/core/testing";
import { createEndpoint } from "@querybell/core/webhooks";
import {
  type Caller,
  CreateAutomation,
  CreateQuery,
  CreateReference,
  CreateWebhookEndpoint,
  RunQuery,
  Scope,
} from "@querybell/domain";
import { z } from "zod";
import { examples } from "../../api-reference/example-text.ts";
import { makeConnectionRequest } from "../connect-program.ts";
import { makeOrganizationWithEverything } from "../organization-with-everything.ts";
import { sendUpload } from "../send-upload.ts";
import { type FuzzSetup, makeFile } from "./organizations.ts";
import type { IdsByKind } from "./symbols.ts";

export const callerNames = ["owner", "admin", "member", "key", "readingKey", "nobody"] as const;
export type CallerName = (typeof callerNames)[number];

const exampleInput = (path: string) => z.record(z.string(), z.json()).parse(examples[path]?.input);

/**
 * The organization that calls, with people of every role, keys, and data that can be read and run. Its
 * objects come from the examples of the reference, so that the inputs of the examples are valid here.
 */
export async function makeOurs(setup: FuzzSetup, url: string) {
  const { deps, make } = setup;
  const [owner, member] = [await make.user(), await make.user()];
  const caller = await makeOrganizationWithEverything(deps, { owner, member }, "ours");
  const { organizationId } = caller;
  const admin = await make.member(organizationId, "admin");
  const scopes = [...Scope.options];
  const all = await createKey(deps, caller, { name: "All", scopes });
  const reading = await createKey(deps, caller, {
    name: "Reading",
    scopes: ["queries:read", "references:read"],
  });
  const shortId = await makeQuery(deps, caller, await makeFile(setup, caller, "apple"));
  await makeAgent(deps, caller, { shortId, via: { kind: "key", keyId: all.id, scopes } });
  const origin = deps.deployment.publicUrl;
  const withCookie = async (email: string) => ({ cookie: await signIn(url, origin, email), origin });
  const headers: Record<CallerName, Record<string, string>> = {
    owner: await withCookie(owner.email),
    admin: await withCookie(admin.email),
    member: await withCookie(member.email),
    key: { authorization: `Bearer ${all.key}` },
    readingKey: { authorization: `Bearer ${reading.key}` },
    nobody: {},
  };
  await makeUploads(deps, organizationId, { url, headers: headers.key });
  return { organizationId, headers, secrets: await makeSecrets(setup, caller) };
}

/** A query with a result, a reference of it, which it returns, and a reference that still has no query. */
async function makeQuery(deps: Deps, caller: Caller, analyticalDatabaseConfigId: string): Promise<string> {
  const query = await createQuery(
    deps,
    caller,
    CreateQuery.parse({ ...exampleInput("queries.create"), analyticalDatabaseConfigId }),
  );
  const { shortId } = await createReference(
    deps,
    caller,
    CreateReference.parse({ ...exampleInput("references.create"), queryId: query.id }),
  );
  const run = await runQuery(deps, caller, RunQuery.parse({ ...exampleInput("queries.run"), id: query.id }));
  await execute(deps, run.id);
  await createOptimisticReference(deps, caller, {});
  return shortId;
}

/** A run that an external agent has claimed, and another that waits for one. */
async function makeAgent(
  deps: Deps,
  caller: Caller,
  { shortId, via }: { shortId: string; via: Caller["via"] },
): Promise<void> {
  const input = { ...exampleInput("automations.create"), references: [{ shortId }], subscribers: [] };
  const { id } = await createAutomation(deps, caller, CreateAutomation.parse(input));
  await triggerAutomation(deps, caller, { id });
  await claimRun(deps, { ...caller, via }, { automationId: id, leaseSeconds: 3600 });
}

/** Secrets that only their receiver knows, which the database has sealed or as hashes, and a program of no organization. */
async function makeSecrets({ deps, make }: FuzzSetup, caller: Caller): Promise<IdsByKind> {
  const settings = CreateWebhookEndpoint.parse(exampleInput("webhookEndpoints.create"));
  const { secret } = await createEndpoint(deps, caller, settings);
  const { userId, email } = await make.member(caller.organizationId);
  const reset = await createPasswordResetLink(deps, caller, { userId });
  const invitation = await createInvitation(deps, caller, { email: `to-${email}`, role: "member" });
  const program = await makeConnectionRequest(deps, "Assistant");
  const tokenOf = (link: { url: string }) => link.url.split("#")[1] ?? "";
  return new Map([
    ["signing_secret", [secret.secret]],
    ["password_reset_token", [tokenOf(reset)]],
    ["invitation_token", [tokenOf(invitation.link)]],
    ["oauth_client", [program.client_id ?? ""]],
  ]);
}

/** A file that waits and a table, in the place of rows without files. */
async function makeUploads(
  { db }: Deps,
  organizationId: string,
  { url, headers }: { url: string; headers: Record<string, string> },
): Promise<void> {
  const where = { organizationId };
  await db.prisma.upload.deleteMany({ where });
  await db.prisma.uploadedTable.deleteMany({ where });
  const api = { fetch: (path: string, init?: RequestInit) => fetch(`${url}${path}`, init) };
  const content = "id,name,price\n1,apple,1.5\n2,pear,\n";
  const table = await sendUpload(api, { content, headers, parameters: { table: "fruits" } });
  const waiting = await sendUpload(api, { content, headers });
  if (!table.ok || !waiting.ok)
    throw new Error(`An upload failed: ${await table.text()} ${await waiting.text()}`);
}

let addresses = 0;

async function signIn(url: string, origin: string, email: string): Promise<string> {
  // Sign-in is limited by address.
  const at = ++addresses;
  const address = `10.${(at >> 16) & 255}.${(at >> 8) & 255}.${at & 255}`;
  const answer = await fetch(`${url}/api/auth/sign-in/email`, {
    method: "POST",
    headers: { "content-type": "application/json", origin, "x-forwarded-for": address },
    body: JSON.stringify({ email, password: testPassword }),
  });
  if (!answer.ok) throw new Error(`Sign-in answered ${answer.status}: ${await answer.text()}`);
  return answer.headers
    .getSetCookie()
    .map((cookie) => cookie.split(";")[0])
    .join("; ");
}

export type OurOrganization = Awaited<ReturnType<typeof makeOurs>>;
