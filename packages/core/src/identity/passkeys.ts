import type { Tx } from "@querybell/db";
import {
  AppError,
  type ConfirmWithPasskey,
  type NewPasskey,
  newId,
  type PasskeyAnswer,
  type PasskeyOptions,
  type Person,
  type RecoveryCodes,
  type RemovePasskey,
  type SetUpFactor,
} from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { lockRow } from "../lock-row.ts";
import type { Client } from "./client.ts";
import { createSession } from "./create-session.ts";
import { hasFactors, markConfirmed } from "./factors.ts";
import { canUsePasskeys, finishRemoval, finishSetUp, requireProofOfPerson } from "./second-factor.ts";
import { refuseIfProviderOnly } from "./sign-in.ts";
import { newRequestToken, requestCookie, saveRequest, takeRequest } from "./sign-in-requests.ts";

/** Not loaded by the import of this file: workers never use it. The api loads it before its first request. */
export const loadWebAuthn = () => import("@simplewebauthn/server");

/** The site that passkeys belong to. A browser uses them only there, so no other site can ask for one. */
function siteOf({ deployment }: Pick<Deps, "deployment">) {
  const { hostname, origin } = new URL(deployment.publicUrl);
  if (!canUsePasskeys(deployment)) {
    throw new AppError(
      "conflict",
      "Browsers allow passkeys only over https, at a host name. Use codes of an app.",
    );
  }
  return { rpID: hostname, origin };
}

const maxPasskeys = 20;
/** EdDSA, ES256, RS256: every device knows one of them. */
const supportedAlgorithmIDs = [-8, -7, -257];

/** Begins to set up a passkey. The browser creates it with these options. */
export async function startPasskey(deps: Deps, person: Person, input: SetUpFactor): Promise<PasskeyOptions> {
  await requireProofOfPerson(deps, person, input);
  const { rpID } = siteOf(deps);
  const { userId, sessionId } = person;
  const user = await deps.db.prisma.user.findUniqueOrThrow({
    where: { id: userId },
    include: { passkeys: true },
  });
  if (user.passkeys.length >= maxPasskeys) {
    throw new AppError("conflict", `You have ${maxPasskeys} passkeys. Remove one first.`);
  }
  const { generateRegistrationOptions } = await loadWebAuthn();
  const options = await generateRegistrationOptions({
    rpName: "Querybell",
    rpID,
    userID: new TextEncoder().encode(userId),
    userName: user.email,
    userDisplayName: user.name,
    attestationType: "none",
    supportedAlgorithmIDs,
    excludeCredentials: user.passkeys.map(({ credentialId }) => ({ id: credentialId })),
    authenticatorSelection: { residentKey: "required", userVerification: "required" },
  });
  const { challenge } = options;
  await deps.db.transaction((tx) =>
    saveRequest({ ...deps, tx }, sessionId, { kind: "new_passkey", challenge }),
  );
  return { options: toJson(options) };
}

const toJson = (options: object): PasskeyOptions["options"] => JSON.parse(JSON.stringify(options));

export async function finishPasskey(
  deps: Deps,
  person: Person,
  { name, credential }: NewPasskey,
): Promise<RecoveryCodes> {
  const { rpID, origin } = siteOf(deps);
  const { userId, sessionId } = person;
  const request = await takeRequest({ ...deps, tx: deps.db.prisma }, sessionId, "new_passkey");
  if (!request) throw refused();
  const { verifyRegistrationResponse } = await loadWebAuthn();
  const { response, ...rest } = credential;
  const { transports: _, ...proof } = response;
  const { verified, registrationInfo } = await verifyRegistrationResponse({
    response: { ...rest, clientExtensionResults: {}, response: proof },
    expectedChallenge: request.challenge,
    expectedOrigin: origin,
    expectedRPID: rpID,
    requireUserVerification: true,
    supportedAlgorithmIDs,
  }).catch((cause: unknown) => {
    throw refused(cause);
  });
  if (!verified) throw refused();
  const { id: credentialId, publicKey, counter } = registrationInfo.credential;
  return deps.db.transaction(async (tx) => {
    await lockRow(tx, { table: "users", key: { id: userId } });
    const hadFactors = await hasFactors(tx, userId);
    if (await tx.passkey.findUnique({ where: { credentialId } })) {
      throw new AppError("conflict", "This passkey is set up already.");
    }
    await tx.passkey.create({
      data: {
        id: newId(deps.clock),
        userId,
        name,
        credentialId,
        publicKey: new Uint8Array(publicKey),
        counter,
        createdAt: deps.clock.now(),
      },
    });
    return finishSetUp({ ...deps, tx }, person, { hadFactors, factor: "passkey" });
  });
}

const refused = (cause?: unknown) =>
  new AppError("invalid_request", "The passkey was not accepted. Try again.", { cause });

export async function removePasskey(deps: Deps, { userId }: Person, { id }: RemovePasskey): Promise<void> {
  await deps.db.transaction(async (tx) => {
    const { count } = await tx.passkey.deleteMany({ where: { id, userId } });
    if (count === 0)
      throw new AppError("not_found", "There is no such passkey. It may have been removed already.");
    await finishRemoval({ ...deps, tx }, userId, "passkey");
  });
}

/** The options of a challenge: any passkey of this site may answer it. */
async function newChallenge(deps: Deps) {
  const { rpID } = siteOf(deps);
  const { generateAuthenticationOptions } = await loadWebAuthn();
  return generateAuthenticationOptions({ rpID, userVerification: "required" });
}

/** Begins a sign-in by passkey. The cookie binds the challenge to this browser. */
export async function startPasskeySignIn(deps: Deps): Promise<PasskeyOptions & { cookies: string[] }> {
  const options = await newChallenge(deps);
  const token = newRequestToken();
  await deps.db.transaction((tx) =>
    saveRequest({ ...deps, tx }, token, { kind: "passkey", challenge: options.challenge }),
  );
  return { options: toJson(options), cookies: [requestCookie(deps, token)] };
}

/** Signs in by passkey, without a password. The device has verified its person, so it counts as the second factor. */
export async function signInWithPasskey(
  deps: Deps,
  { token, credential }: { token: string | undefined; credential: PasskeyAnswer },
  client: Client,
): Promise<{ cookies: string[] }> {
  refuseIfProviderOnly(deps);
  const request = await takeRequest({ ...deps, tx: deps.db.prisma }, token, "passkey");
  if (!request) throw unknownPasskey();
  const { userId, ...passkey } = await verifyAnswer(deps, credential, {
    challenge: request.challenge,
    fail: unknownPasskey,
  });
  return deps.db.transaction(async (tx) => {
    await recordUse({ ...deps, tx }, passkey);
    const { cookie } = await createSession(
      { ...deps, tx },
      { userId, client, secondFactorAt: deps.clock.now() },
    );
    return { cookies: [cookie, requestCookie(deps, null)] };
  });
}

/** A challenge for a signed-in person, before a dangerous act. */
export async function startConfirm(deps: Deps, { sessionId }: Person): Promise<PasskeyOptions> {
  const options = await newChallenge(deps);
  const { challenge } = options;
  await deps.db.transaction((tx) => saveRequest({ ...deps, tx }, sessionId, { kind: "confirm", challenge }));
  return { options: toJson(options) };
}

export async function confirmWithPasskey(
  deps: Deps,
  person: Person,
  { credential }: ConfirmWithPasskey,
): Promise<void> {
  const request = await takeRequest({ ...deps, tx: deps.db.prisma }, person.sessionId, "confirm");
  if (!request) throw refused();
  const { userId, ...passkey } = await verifyAnswer(deps, credential, {
    challenge: request.challenge,
    fail: refused,
  });
  if (userId !== person.userId) throw refused();
  await deps.db.transaction(async (tx) => {
    await recordUse({ ...deps, tx }, passkey);
    await markConfirmed({ ...deps, tx }, person);
  });
}

interface VerifiedPasskey {
  id: string;
  userId: string;
  counter: number;
}

async function verifyAnswer(
  deps: Deps,
  credential: PasskeyAnswer,
  { challenge, fail }: { challenge: string; fail: (cause?: unknown) => AppError },
): Promise<VerifiedPasskey> {
  const { rpID, origin } = siteOf(deps);
  const passkey = await deps.db.prisma.passkey.findUnique({ where: { credentialId: credential.id } });
  if (!passkey) throw fail();
  const { id, userId, credentialId, publicKey, counter } = passkey;
  const { userHandle, ...response } = credential.response;
  if (userHandle !== undefined && Buffer.from(userHandle, "base64url").toString() !== userId) throw fail();
  const { verifyAuthenticationResponse } = await loadWebAuthn();
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response: { ...credential, clientExtensionResults: {}, response },
    expectedChallenge: challenge,
    expectedOrigin: origin,
    expectedRPID: rpID,
    credential: { id: credentialId, publicKey: new Uint8Array(publicKey), counter: Number(counter) },
    requireUserVerification: true,
  }).catch((cause: unknown) => {
    throw fail(cause);
  });
  if (!verified) throw fail();
  return { id, userId, counter: authenticationInfo.newCounter };
}

const unknownPasskey = (cause?: unknown) =>
  new AppError("unauthorized", "This passkey does not sign in here. Use another one, or your password.", {
    cause,
  });

/** Fails if the passkey was removed, or another answer with this counter was accepted, at the same time. */
async function recordUse(
  { tx, clock }: { tx: Tx } & Pick<Deps, "clock">,
  { id, counter }: Pick<VerifiedPasskey, "id" | "counter">,
): Promise<void> {
  const { count } = await tx.passkey.updateMany({
    where: { id, ...(counter > 0 && { counter: { lt: counter } }) },
    data: { counter, lastUsedAt: clock.now() },
  });
  if (count === 0) throw unknownPasskey();
}
