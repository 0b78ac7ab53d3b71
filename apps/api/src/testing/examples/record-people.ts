import { signInWithPassword } from "@querybell/core/identity";
import { createInvitation } from "@querybell/core/invitations";
import { createKey } from "@querybell/core/keys";
import { createRestCallRecorder } from "@querybell/core/rest-calls";
import { createAuthenticator, nextTotpCode, startOidcProvider, testPassword } from "@querybell/core/testing";
import { newId } from "@querybell/domain";
import { startModelServer } from "@querybell/models/testing";
import { connectProgram, makeConnectionRequest, useCode } from "../connect-program.ts";
import { recordMcpCall } from "../record-mcp-call.ts";
import type { ExampleContext } from "./example-context.ts";

/** The organization's settings, its members and its keys. */
export async function recordPeople({
  deps,
  make,
  record,
  caller,
  mailDomain,
}: ExampleContext): Promise<void> {
  await record("settings.get");
  await record("settings.update", {
    resultLifetimeSeconds: 86_400,
    restSunsetAt: "2027-03-31T00:00:00Z",
    publicLinks: true,
    embedding: true,
  });
  await record("settings.retention");

  await recordModel({ record });

  await record("sampleShop.create");
  await record("sampleShop.find");
  await record("sampleShop.delete");

  const { link } = await record("invitations.create", { email: `kim@${mailDomain}`, role: "member" });
  await record("invitations.list");
  const token = link.url.split("#")[1] ?? "";
  await record("invitations.find", { token });
  await record("invitations.accept", { token, account: { name: "Kim Park", password: "a long password" } });
  const unwanted = await createInvitation(deps, caller, { email: `lee@${mailDomain}`, role: "member" });
  await record("invitations.revoke", { id: unwanted.id });

  const members = await record("members.list");
  const { userId } = members.find(({ email }) => email === `kim@${mailDomain}`) ?? { userId: "" };
  await record("members.changeRole", { userId, role: "admin" });
  await record("members.createPasswordResetLink", { userId });
  await deps.db.prisma.passkey.create({
    data: {
      id: newId(deps.clock),
      userId,
      name: "Lost phone",
      credentialId: newId(deps.clock),
      publicKey: new Uint8Array(1),
      counter: 0,
      createdAt: deps.clock.now(),
    },
  });
  await record("members.requestFactorReset", { userId });
  await deps.db.prisma.passkey.deleteMany({ where: { userId } });
  await recordSingleSignOn({ deps, record, caller });
  await record("access.seeAs", { userId });
  await record("me.stopSeeingAs");
  await record("members.setAttributes", { userId, attributes: { region: "north" } });
  await record("members.attributes", { userId });
  const account = await record("members.createServiceAccount", { name: "Nightly report", role: "member" });
  await recordEmbedding({ record }, account.userId);
  const leaving = await make.member(caller.organizationId);
  await record("members.remove", { userId: leaving.userId });

  const group = await record("groups.create", { name: "Finance" });
  const { id: groupId } = group;
  await record("groups.changeMembers", { groupId, add: [userId] });
  await record("groups.rename", { groupId, name: "Finance team" });
  await record("groups.list");
  await record("groups.get", { groupId });
  await record("groups.delete", { groupId });

  const { id } = await record("exports.create");
  await record("exports.find");
  await record("exports.delete", { id });

  await record("organizationDeletion.request", { name: "Acme" });
  await record("organizationDeletion.find");
  await record("organizationDeletion.cancel");

  await record("keys.list");
  await record("keys.describe");
  const unused = await createKey(deps, caller, { name: "Unused", scopes: ["queries:read"] });
  await record("keys.revoke", { id: unused.id });
  await recordPrograms({ deps, record, caller });
}

/** Programs that are connected over OAuth: one that an admin disconnects, and one that its person does. */
async function recordPrograms({
  deps,
  record,
  caller,
}: Pick<ExampleContext, "deps" | "record" | "caller">): Promise<void> {
  const request = await makeConnectionRequest(deps, "Assistant");
  await record("connectedPrograms.describeRequest", request);
  const { url } = await record("connectedPrograms.approve", { request, scopes: ["queries:read"], days: 90 });
  await useCode(deps, request, url);
  const [program] = await record("connectedPrograms.list");
  await record("connectedPrograms.revoke", { id: program?.id ?? "" });
  await connectProgram(deps, caller, "Editor");
  const [own] = await record("connectedPrograms.mine");
  await record("connectedPrograms.disconnect", { id: own?.id ?? "" });
}

/** A language model for automations, played by a server of the test. */
async function recordModel({ record }: Pick<ExampleContext, "record">): Promise<void> {
  await using server = await startModelServer(() => ({ kind: "say", pieces: ["ready"] }));
  const connection = { url: server.url, name: "small-model", apiKey: "sk-example" };
  await record("models.test", { connection });
  await record("models.update", { connection, monthlyTokens: 2_000_000, consent: true });
  await record("models.correctUsage", { month: "2026-11", tokens: 120_000 });
  await record("models.get");
  await record("models.remove");
}

/** The owner's own account. */
export async function recordMe({ deps, record, caller }: ExampleContext): Promise<void> {
  await recordSessions({ deps, record, caller });
  await recordSecondFactor({ deps, record, caller });
  await record("me.get");
  await record("me.updateProfile", { name: "Robin Weber-Sato" });
  await record("me.updateFirstSteps", { hidesFirstSteps: true });
  await record("me.changePassword", {
    currentPassword: testPassword,
    newPassword: "an even longer password",
  });
  await record("me.dismissFailedSignIns", { lastAt: "2026-11-17T09:30:00Z" });
  await record("me.switchOrganization", { organizationId: caller.organizationId });
  await record("audit.list", { limit: 2, from: "2026-11-01T00:00:00Z" });
}

/** A session on another computer, and a wrong password. */
async function recordSessions({
  deps,
  record,
  caller,
}: Pick<ExampleContext, "deps" | "record" | "caller">): Promise<void> {
  const { email } = await deps.db.prisma.user.findUniqueOrThrow({ where: { id: caller.userId } });
  const client = {
    address: "192.0.2.7",
    userAgent: "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Firefox/140.0",
  };
  await signInWithPassword(deps, { email, password: testPassword }, client);
  await signInWithPassword(deps, { email, password: "wrong" }, client).catch(() => undefined);
  const sessions = await record("sessions.list");
  const { id = "" } = sessions.find(({ isCurrent }) => !isCurrent) ?? {};
  await record("sessions.end", { id });
  await record("sessions.endOthers");
}

/** A provider, played by a server of the test, a domain, and a token for provisioning. */
async function recordSingleSignOn({
  deps,
  record,
  caller,
}: Pick<ExampleContext, "deps" | "record" | "caller">): Promise<void> {
  await using provider = await startOidcProvider();
  const { id, record: txt } = await record("singleSignOn.addDomain", { domain: "acme.example" });
  const { resolveTxt } = deps.singleSignOn;
  deps.singleSignOn.resolveTxt = async () => [[txt.value]];
  await record("singleSignOn.checkDomain", { id });
  deps.singleSignOn.resolveTxt = resolveTxt;
  await record("singleSignOn.save", {
    issuer: provider.issuer,
    clientId: "querybell",
    clientSecret: "a secret of the client",
    adminGroups: ["Operations"],
  });
  await record("singleSignOn.get");
  await record("singleSignOn.enforce", { enforced: false });
  await record("singleSignOn.createScimToken");
  await record("singleSignOn.provisioning");
  await record("singleSignOn.deleteScimToken");
  await record("singleSignOn.remove");
  await record("singleSignOn.removeDomain", { id });
  // The plans of statements are read with rows in every table.
  const { organizationId } = caller;
  const times = { createdAt: deps.clock.now(), updatedAt: deps.clock.now() };
  await deps.db.prisma.scimGroup.create({ data: { id, organizationId, displayName: "Sales", ...times } });
}

/** Codes of an app and a passkey, which are both removed in the end. */
async function recordSecondFactor({
  deps,
  record,
  caller,
}: Pick<ExampleContext, "deps" | "record" | "caller">): Promise<void> {
  const { clock, deployment } = deps;
  const { origin } = new URL(deployment.publicUrl);
  const { secret } = await record("secondFactor.startTotp", { currentPassword: testPassword });
  await record("secondFactor.finishTotp", { code: nextTotpCode(secret, clock) });
  await record("secondFactor.confirm", { code: nextTotpCode(secret, clock, 1) });
  await record("secondFactor.renewRecoveryCodes");
  const device = createAuthenticator();
  const credential = device.create(await record("secondFactor.startPasskey", {}), { origin });
  await record("secondFactor.finishPasskey", { name: "Phone", credential });
  const answer = device.answer(await record("secondFactor.startConfirm"), { origin });
  await record("secondFactor.confirmWithPasskey", { credential: answer });
  const { passkeys } = await record("secondFactor.get");
  const { organizationId, userId } = caller;
  const effectiveAt = new Date(clock.now().getTime() + 3 * 86_400_000);
  await deps.db.prisma.factorReset.create({
    data: { organizationId, userId, requestedBy: userId, requestedAt: clock.now(), effectiveAt },
  });
  await record("secondFactor.cancelReset");
  await record("secondFactor.removePasskey", { id: passkeys[0]?.id ?? "" });
  await record("secondFactor.removeTotp");
}

/** A call of a published REST route and one over MCP, for the lists of such calls. */
export async function recordCalls({
  deps,
  record,
  caller: { organizationId },
  keyId,
}: ExampleContext & { keyId: string }): Promise<void> {
  const failures: unknown[] = [];
  const recorder = createRestCallRecorder({ ...deps, onError: (error) => failures.push(error) });
  recorder.record({ keyId, route: "GET /api/queries", retired: false });
  await recorder.close();
  if (failures.length > 0) throw failures[0];
  await record("settings.restCalls");
  await recordMcpCall(deps, { organizationId, keyId, tool: "run_query" });
  await record("mcpCalls.list");
}

const publicKeys = [
  "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=\n-----END PUBLIC KEY-----\n",
  "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAPUAXw+hDiVqStwqnTRt+vJyYLM8uxJaMwM1V8Sr0Zgw=\n-----END PUBLIC KEY-----\n",
] as const;

async function recordEmbedding(
  { record }: Pick<ExampleContext, "record">,
  serviceAccountId: string,
): Promise<void> {
  const [publicKey, nextKey] = publicKeys;
  const origins = ["https://app.example.com"];
  const { id } = await record("embedding.create", { name: "Portal", publicKey, serviceAccountId, origins });
  await record("embedding.update", { id, cacheMinutes: 5 });
  await record("embedding.rotate", { id, publicKey: nextKey });
  await record("embedding.list");
  await record("embedding.revoke", { id });
}
