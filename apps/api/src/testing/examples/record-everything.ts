import type { Deps } from "@querybell/core";
import {
  type AutomationFactories,
  type Factories,
  type QueryFactories,
  testPassword,
} from "@querybell/core/testing";
import { Scope } from "@querybell/domain";
import type { Api } from "../api-test.ts";
import { recordAutomations } from "./record-automations.ts";
import { createExampleRecorder } from "./record-example.ts";
import { recordLibrary } from "./record-library.ts";
import { recordOperations } from "./record-operations.ts";
import { recordCalls, recordMe, recordPeople } from "./record-people.ts";
import { recordQueries } from "./record-queries.ts";
import { recordUploads } from "./record-uploads.ts";
import { recordNewEndpoint, recordWebhooks } from "./record-webhooks.ts";

interface Recording {
  api: Api;
  deps: Deps;
  make: Factories & QueryFactories & AutomationFactories;
  /** The part of all email addresses after the @. */
  mailDomain: string;
  auditLog?: Deps["db"]["prisma"]["auditEntry"];
}

/** Calls every procedure once, in a new organization, and returns the calls with their answers. Later ones use the objects of earlier ones. */
export async function recordEverything({ api, deps, make, mailDomain, auditLog }: Recording) {
  const robin = await make.user({ name: "Robin Weber", email: `robin@${mailDomain}` });
  const session = { cookie: await api.sessionCookie(robin.email), origin: api.origin };
  const credentials = { session, key: {} };
  const { record, examples, audited } = createExampleRecorder({ api, auditLog, credentials });

  const { organizationId } = await record("me.createOrganization", { name: "Acme" });
  const key = await record("keys.create", { name: "Nightly report", scopes: [...Scope.options] });
  credentials.key = { authorization: `Bearer ${key.key}` };

  const { userId, sessionId } = robin;
  const caller = { userId, organizationId, role: "owner", via: { kind: "session", sessionId } } as const;
  const keyCaller = { ...caller, via: { kind: "key", keyId: key.id, scopes: [...Scope.options] } } as const;
  const context = { deps, make, record, caller, keyCaller, mailDomain };
  await recordPeople(context);
  const { queryId, reference } = await recordQueries({
    ...context,
    connection: await make.connection(caller),
  });
  await recordUploads(context);
  const endpoint = await recordNewEndpoint(context);
  await recordAutomations(context, reference.shortId);
  await recordLibrary(context, { queryId, referenceId: reference.id });
  await recordWebhooks(context, endpoint);
  await recordCalls({ ...context, keyId: key.id });
  await recordMe(context);
  await recordOperations(context);
  credentials.session = {
    ...session,
    cookie: await api.sessionCookie(`kim@${mailDomain}`, "a long password"),
  };
  await record("members.leave");
  const leaving = await make.member(organizationId);
  credentials.session = { ...session, cookie: await api.sessionCookie(leaving.email) };
  await record("me.deleteAccount", { email: leaving.email, password: testPassword });
  return { examples, audited, owner: robin, key: credentials.key };
}
