import { createInvitation } from "@querybell/core/invitations";
import { createKey } from "@querybell/core/keys";
import { createRestCallRecorder } from "@querybell/core/rest-calls";
import { startModelServer } from "@querybell/models/testing";
import { testPassword } from "@querybell/testkit";
import type { Scene } from "./scene.ts";

/** The organization's settings, its members and its keys. */
export async function playPeople({ deps, make, play, caller }: Scene): Promise<void> {
  await play("settings.get");
  await play("settings.update", { resultLifetimeSeconds: 86_400, restSunsetAt: "2027-03-31T00:00:00Z" });
  await play("settings.retention");

  await playModel({ play });

  const { link } = await play("invitations.create", { email: "kim@example.com", role: "member" });
  await play("invitations.list");
  const token = link.url.split("#")[1] ?? "";
  await play("invitations.find", { token });
  await play("invitations.accept", { token, account: { name: "Kim Park", password: "a long password" } });
  const unwanted = await createInvitation(deps, caller, { email: "lee@example.com", role: "member" });
  await play("invitations.revoke", { id: unwanted.id });

  const members = await play("members.list");
  const { userId } = members.find(({ email }) => email === "kim@example.com") ?? { userId: "" };
  await play("members.changeRole", { userId, role: "admin" });
  await play("members.createPasswordResetLink", { userId });
  const leaving = await make.member(caller.organizationId);
  await play("members.remove", { userId: leaving.userId });

  await play("keys.list");
  await play("keys.describe");
  const unused = await createKey(deps, caller, { name: "Unused", scopes: ["queries:read"] });
  await play("keys.revoke", { id: unused.id });
}

/** A language model for automations, played by a server of the test. */
async function playModel({ play }: Pick<Scene, "play">): Promise<void> {
  await using server = await startModelServer(() => ({ kind: "say", pieces: ["ready"] }));
  const connection = { url: server.url, name: "small-model", apiKey: "sk-example" };
  await play("models.test", { connection });
  await play("models.update", { connection, monthlyTokens: 2_000_000, consent: true });
  await play("models.get");
  await play("models.remove");
}

/** What the owner of the organization can do with their own account. */
export async function playMe({ play, caller }: Scene): Promise<void> {
  await play("me.get");
  await play("me.updateProfile", { name: "Robin Weber-Sato" });
  await play("me.changePassword", { currentPassword: testPassword, newPassword: "an even longer password" });
  await play("me.switchOrganization", { organizationId: caller.organizationId });
  await play("audit.list", { limit: 2, from: "2026-11-01T00:00:00Z" });
}

/** A call of a published REST route, for the list of those who still make some. */
export async function playRestCalls({ deps, play, keyId }: Scene & { keyId: string }): Promise<void> {
  const failures: unknown[] = [];
  const recorder = createRestCallRecorder({ ...deps, onError: (error) => failures.push(error) });
  recorder.record({ keyId, route: "GET /api/queries", retired: false });
  await recorder.close();
  if (failures.length > 0) throw failures[0];
  await play("settings.restCalls");
}
