import { createInvitation } from "@querybell/core/invitations";
import { createKey } from "@querybell/core/keys";
import { createRestCallRecorder } from "@querybell/core/rest-calls";
import { testPassword } from "@querybell/core/testing";
import { startModelServer } from "@querybell/models/testing";
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
  await record("settings.update", { resultLifetimeSeconds: 86_400, restSunsetAt: "2027-03-31T00:00:00Z" });
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
  await record("access.seeAs", { userId });
  await record("me.stopSeeingAs");
  await record("members.setAttributes", { userId, attributes: { region: "north" } });
  await record("members.attributes", { userId });
  await record("members.createServiceAccount", { name: "Nightly report", role: "member" });
  const leaving = await make.member(caller.organizationId);
  await record("members.remove", { userId: leaving.userId });

  const group = await record("groups.create", { name: "Finance" });
  const { id: groupId } = group;
  await record("groups.changeMembers", { groupId, add: [userId] });
  await record("groups.rename", { groupId, name: "Finance team" });
  await record("groups.list");
  await record("groups.get", { groupId });
  await record("groups.delete", { groupId });

  await record("keys.list");
  await record("keys.describe");
  const unused = await createKey(deps, caller, { name: "Unused", scopes: ["queries:read"] });
  await record("keys.revoke", { id: unused.id });
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
export async function recordMe({ record, caller }: ExampleContext): Promise<void> {
  await record("me.get");
  await record("me.updateProfile", { name: "Robin Weber-Sato" });
  await record("me.updateFirstSteps", { hidesFirstSteps: true });
  await record("me.changePassword", {
    currentPassword: testPassword,
    newPassword: "an even longer password",
  });
  await record("me.switchOrganization", { organizationId: caller.organizationId });
  await record("audit.list", { limit: 2, from: "2026-11-01T00:00:00Z" });
}

/** A call of a published REST route, for the list of such calls. */
export async function recordRestCalls({
  deps,
  record,
  keyId,
}: ExampleContext & { keyId: string }): Promise<void> {
  const failures: unknown[] = [];
  const recorder = createRestCallRecorder({ ...deps, onError: (error) => failures.push(error) });
  recorder.record({ keyId, route: "GET /api/queries", retired: false });
  await recorder.close();
  if (failures.length > 0) throw failures[0];
  await record("settings.restCalls");
}
