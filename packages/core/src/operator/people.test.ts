import { toAppError } from "@querybell/db";
import { waitUntilBlocked } from "@querybell/webhooks/testing";
import { expect } from "vitest";
import { createSession } from "../identity/create-session.ts";
import { createKey, createKeyVerifier } from "../keys/index.ts";
import { appError } from "../testing/app-error.ts";
import { auditDuring, dbTest } from "../testing/index.ts";
import { signIn } from "../testing/sign-in.ts";
import {
  disablePersonAsOperator,
  enablePersonAsOperator,
  endAllSessionsAsOperator,
  endSessionsAsOperator,
} from "./index.ts";

const test = dbTest.extend("passwordHashes", { scope: "file" }, () => "fast" as const);

const isDisabled = (error: unknown) =>
  toAppError(error)?.message.startsWith("This account is disabled.") === true;

test("a disabled person gets in by no way, and after enabling with the password only", async ({
  make,
  deps,
}) => {
  const owner = await make.owner();
  const { email, organizationId } = owner;
  const verifier = createKeyVerifier({ ...deps, onError: () => {} });
  const session = await signIn(deps, email);
  const key = await createKey(deps, owner, { name: "Key", scopes: [] });
  expect(await verifier.verify(key.key)).toMatchObject({ userId: owner.userId });

  const logged = await auditDuring(deps, organizationId, async () => {
    const { slug } = await deps.db.prisma.organization.findUniqueOrThrow({ where: { id: organizationId } });
    const ended = await disablePersonAsOperator(deps, { email: email.toUpperCase() });
    expect(ended).toEqual({ sessions: 2, keys: 1, withoutOwner: [slug] });
  });
  expect(logged).toMatchObject([
    { action: "member.disabled", actorUserId: null, targetId: owner.userId, detail: {} },
  ]);
  expect(await session.isActive()).toBe(false);
  expect(await verifier.verify(key.key)).toBeUndefined();
  await expect(signIn(deps, email)).rejects.toSatisfy(isDisabled);
  // As by a request that was let in a moment before.
  await expect(createKey(deps, owner, { name: "Later", scopes: [] })).rejects.toSatisfy(isDisabled);
  await expect(disablePersonAsOperator(deps, { email })).rejects.toEqual(appError("conflict"));

  await enablePersonAsOperator(deps, { email });
  await expect(enablePersonAsOperator(deps, { email })).rejects.toEqual(appError("conflict"));
  await signIn(deps, email);
  expect(await verifier.verify(key.key)).toBeUndefined();
  await verifier.close();
});

test("a sign-in at the same moment either ends with the disabling or is refused", async ({ make, deps }) => {
  const { email, userId } = await make.owner();
  const client = { address: null, userAgent: null };
  let disabling: Promise<unknown> = Promise.resolve();
  await deps.db.transaction(async (tx) => {
    await createSession({ ...deps, tx }, { userId, client });
    disabling = disablePersonAsOperator(deps, { email });
    await waitUntilBlocked(deps.db.pool, disabling);
  });
  expect(await disabling).toMatchObject({ sessions: 2 });
  expect(await deps.db.prisma.session.count({ where: { userId } })).toBe(0);
});

test("sessions of one person end, or those of everybody", async ({ make, deps }) => {
  const [one, other] = [await make.owner(), await make.owner()];
  const [ofOne, ofOther] = [await signIn(deps, one.email), await signIn(deps, other.email)];
  const logged = await auditDuring(deps, one.organizationId, async () => {
    expect(await endSessionsAsOperator(deps, one)).toBe(2);
  });
  expect(logged).toMatchObject([
    { action: "member.sessions_ended", actorUserId: null, targetId: one.userId },
  ]);
  expect([await ofOne.isActive(), await ofOther.isActive()]).toEqual([false, true]);
  const everywhere = await auditDuring(deps, one.organizationId, async () => {
    expect(await endAllSessionsAsOperator(deps)).toBeGreaterThanOrEqual(2);
  });
  expect(everywhere).toMatchObject([
    { action: "sessions.ended", actorUserId: null, targetId: one.organizationId },
  ]);
  expect(await ofOther.isActive()).toBe(false);
  await signIn(deps, one.email);
});
