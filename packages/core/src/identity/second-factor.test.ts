import type { Caller, PasskeyOptions } from "@querybell/domain";
import { describe, expect } from "vitest";
import type { Deps } from "../deps.ts";
import { acceptInvitation, createInvitation } from "../invitations/index.ts";
import { updateSettings } from "../organizations/index.ts";
import { appError } from "../testing/app-error.ts";
import { auditDuring } from "../testing/audit-during.ts";
import { createAuthenticator } from "../testing/authenticator.ts";
import { dbTest } from "../testing/db-test.ts";
import { type TestUser, testPassword } from "../testing/factories.ts";
import { queuedMailsTo } from "../testing/queued-mails.ts";
import { signIn } from "../testing/sign-in.ts";
import { nextTotpCode } from "../testing/totp-code.ts";
import {
  cancelFactorReset,
  changePassword,
  confirmWithCode,
  confirmWithPasskey,
  describePerson,
  finishPasskey,
  finishSignIn,
  finishTotp,
  getSecondFactor,
  readCurrentAccess,
  readRequestCookie,
  removePasskey,
  removeTotp,
  renewRecoveryCodes,
  requestFactorReset,
  requireConfirmed,
  resolveSession,
  signInWithPasskey,
  signInWithPassword,
  startConfirm,
  startPasskey,
  startPasskeySignIn,
  startTotp,
} from "./index.ts";
import { maxAttempts } from "./sign-in-limits.ts";

const origin = "http://localhost:4000";
const client = { address: "192.0.2.1", userAgent: null };
const currentPassword = testPassword;
const wrongCode = appError("unauthorized", /code is wrong, or was used before/);
const refused = appError("invalid_request", /passkey was not accepted/);
const unknown = appError("unauthorized", /does not sign in here/);

const headersOf = (cookies: string[]) =>
  new Headers({ cookie: cookies.map((cookie) => cookie.split(";")[0]).join("; ") });

/** The password step of a person with a second factor. Returns what a code must be sent with. */
async function enterPassword(deps: Deps, { email }: Pick<TestUser, "email">) {
  const { status, cookies } = await signInWithPassword(deps, { email, password: testPassword }, client);
  expect(status).toBe("second_factor");
  expect(await resolveSession(deps, headersOf(cookies))).toBeUndefined();
  const token = readRequestCookie(deps, headersOf(cookies));
  return { token, send: (code: string) => finishSignIn(deps, { token, code }, client) };
}

const test = dbTest
  .extend("passwordHashes", { scope: "file" }, () => "fast" as const)
  .extend("withTotp", { scope: "file" }, ({ deps, clock }) => async (person: TestUser) => {
    const { secret } = await startTotp(deps, person, { currentPassword });
    const { codes } = await finishTotp(deps, person, { code: nextTotpCode(secret, clock) });
    const nextCode = async () => {
      await clock.advance(30_000);
      return nextTotpCode(secret, clock);
    };
    return { secret, codes, nextCode };
  })
  .extend("withPasskey", { scope: "file" }, ({ deps }) => async (person: TestUser) => {
    const device = createAuthenticator();
    const credential = device.create(await startPasskey(deps, person, { currentPassword }), { origin });
    const { codes } = await finishPasskey(deps, person, { name: "Phone", credential });
    return { device, codes };
  });

describe("codes of an app", () => {
  test("are asked for after the password, and give a session only then", async ({ deps, make, withTotp }) => {
    const person = await make.owner();
    const { nextCode } = await withTotp(person);
    const { send } = await enterPassword(deps, person);
    const { cookies } = await send(await nextCode());
    const signedIn = await resolveSession(deps, headersOf(cookies));
    expect(signedIn?.person.userId).toBe(person.userId);
  });

  test("are accepted once, also by two at the same time, and not before a later one", async ({
    deps,
    make,
    withTotp,
    clock,
  }) => {
    const person = await make.user();
    const { secret, nextCode } = await withTotp(person);
    const code = await nextCode();
    const steps = [await enterPassword(deps, person), await enterPassword(deps, person)];
    const tries = await Promise.allSettled(steps.map(({ send }) => send(code)));
    expect(tries.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    const { send } = await enterPassword(deps, person);
    await expect(send(code)).rejects.toEqual(wrongCode);
    await expect(send(nextTotpCode(secret, clock, -1))).rejects.toEqual(wrongCode);
    await expect(send(await nextCode())).resolves.toMatchObject({ status: "signed_in" });
    await expect(send(await nextCode()), "the request was used").rejects.toEqual(appError("unauthorized"));
  });

  test("are limited in number, told to the person, and end with a changed password", async ({
    deps,
    make,
    withTotp,
  }) => {
    const person = await make.owner();
    const { nextCode } = await withTotp(person);
    const { send } = await enterPassword(deps, person);
    for (let tries = 0; tries < maxAttempts.account; tries++) {
      await expect(send("000000")).rejects.toEqual(wrongCode);
    }
    await expect(send(await nextCode())).rejects.toEqual(appError("rate_limited"));
    const { failedSignIns } = await describePerson(deps, { person });
    expect(failedSignIns).toMatchObject({ count: maxAttempts.account, hasSecondFactor: true });
    const other = await make.owner();
    const theirs = await withTotp(other);
    const begun = await enterPassword(deps, other);
    const newPassword = "an entirely new password";
    await changePassword(deps, other, { currentPassword, newPassword });
    await expect(begun.send(await theirs.nextCode())).rejects.toEqual(appError("unauthorized"));
  });

  test("need the password to be set up, and the first code before they are asked for", async ({
    deps,
    make,
    clock,
  }) => {
    const person = await make.user();
    for (const wrong of [{}, { currentPassword: "wrong" }]) {
      await expect(startTotp(deps, person, wrong)).rejects.toEqual(
        appError("invalid_request", /password is wrong/),
      );
    }
    const { secret } = await startTotp(deps, person, { currentPassword });
    await expect(finishTotp(deps, person, { code: "000000" })).rejects.toEqual(appError("invalid_request"));
    await expect(signIn(deps, person.email)).resolves.toBeDefined();
    await finishTotp(deps, person, { code: nextTotpCode(secret, clock) });
    await enterPassword(deps, person);
  });

  test("end the person's other sessions when they are set up, and are sealed at rest", async ({
    deps,
    make,
    withTotp,
  }) => {
    const person = await make.owner();
    const other = await signIn(deps, person.email);
    const { secret, codes } = await withTotp(person);
    expect(await other.isActive()).toBe(false);
    const { userId } = person;
    const { rows } = await deps.db.pool.query("SELECT f::text FROM totp_factors f WHERE user_id = $1", [
      userId,
    ]);
    const stored = JSON.stringify([rows, await deps.db.prisma.recoveryCode.findMany({ where: { userId } })]);
    expect(stored).not.toContain(secret);
    for (const code of codes) expect(stored).not.toContain(code);
  });

  test("are logged in the person's organizations when they are set up and removed", async ({
    deps,
    make,
    withTotp,
  }) => {
    const person = await make.owner();
    const logged = await auditDuring(deps, person.organizationId, async () => {
      await withTotp(person);
      await removeTotp(deps, person);
    });
    const entry = { actorUserId: person.userId, targetId: person.userId, detail: { factor: "totp" } };
    expect(logged).toEqual([
      { action: "member.second_factor_added", ...entry },
      { action: "member.second_factor_removed", ...entry },
    ]);
    await expect(signIn(deps, person.email)).resolves.toBeDefined();
  });
});

describe("recovery codes", () => {
  test("replace the second factor once each, and each use is mailed", async ({ deps, make, withTotp }) => {
    const person = await make.user();
    const { codes } = await withTotp(person);
    expect(new Set(codes).size).toBe(10);
    const [code = ""] = codes;
    await (await enterPassword(deps, person)).send(code.toLowerCase().replaceAll("-", " "));
    await expect((await enterPassword(deps, person)).send(code)).rejects.toEqual(wrongCode);
    expect(await getSecondFactor(deps, person)).toMatchObject({ recoveryCodesLeft: 9 });
    const [mail] = await queuedMailsTo(deps, person.email);
    expect(mail?.text).toContain("9 are left");
  });

  test("are no longer valid when new ones are made, or the last factor is removed", async ({
    deps,
    make,
    withPasskey,
  }) => {
    const person = await make.user();
    const { codes } = await withPasskey(person);
    const { codes: renewed } = await renewRecoveryCodes(deps, person);
    await expect((await enterPassword(deps, person)).send(codes[0] ?? "")).rejects.toEqual(wrongCode);
    await (await enterPassword(deps, person)).send(renewed[0] ?? "");
    const [passkey] = (await getSecondFactor(deps, person)).passkeys;
    await removePasskey(deps, person, { id: passkey?.id ?? "" });
    expect(await getSecondFactor(deps, person)).toMatchObject({ passkeys: [], recoveryCodesLeft: 0 });
    await expect(renewRecoveryCodes(deps, person)).rejects.toEqual(appError("conflict"));
  });
});

describe("a passkey", () => {
  /** Signs in: the page and the device can be an attacker's. */
  const signInWith = async (deps: Deps, answer: (options: PasskeyOptions) => object) => {
    const { options, cookies } = await startPasskeySignIn(deps);
    const token = readRequestCookie(deps, headersOf(cookies));
    const credential = answer({ options }) as ReturnType<ReturnType<typeof createAuthenticator>["answer"]>;
    const send = () => signInWithPasskey(deps, { token, credential }, client);
    return { send, ...(await send()) };
  };

  test("signs in without a password, and its challenge works once", async ({ deps, make, withPasskey }) => {
    const person = await make.owner();
    const { device } = await withPasskey(person);
    const { cookies, send } = await signInWith(deps, (options) => device.answer(options, { origin }));
    const signedIn = await resolveSession(deps, headersOf(cookies));
    expect(signedIn?.person.userId).toBe(person.userId);
    await expect(send()).rejects.toEqual(unknown);
  });

  test("is refused from another site, unverified, with a used counter, a wrong challenge or another's key", async ({
    deps,
    make,
    withPasskey,
  }) => {
    const { device } = await withPasskey(await make.user());
    const stranger = createAuthenticator();
    const refuse = (answer: (options: PasskeyOptions) => object) =>
      expect(signInWith(deps, answer)).rejects.toEqual(unknown);
    await refuse((options) => device.answer(options, { origin: "https://evil.example" }));
    await refuse((options) => device.answer(options, { origin, isVerified: false }));
    await refuse(() => device.answer({ options: { challenge: "YW5vdGhlcg" } }, { origin }));
    await refuse((options) => stranger.answer(options, { origin }));
    const theirs = (options: PasskeyOptions) => ({
      ...stranger.answer(options, { origin }),
      id: device.answer(options, { origin }).id,
    });
    await refuse(theirs);
    await signInWith(deps, (options) => device.answer(options, { origin, counter: 100 }));
    await refuse((options) => device.answer(options, { origin, counter: 100 }));
    await refuse((options) => device.answer(options, { origin, counter: 7 }));
  });

  test("is not set up by an answer for another site, another session or a challenge that was used", async ({
    deps,
    make,
  }) => {
    const [person, other] = [await make.user(), await make.user()];
    const device = createAuthenticator();
    const foreign = device.create(await startPasskey(deps, person, { currentPassword }), {
      origin: "https://evil.example",
    });
    await expect(finishPasskey(deps, person, { name: "x", credential: foreign })).rejects.toEqual(refused);
    const credential = device.create(await startPasskey(deps, person, { currentPassword }), { origin });
    await expect(finishPasskey(deps, other, { name: "x", credential })).rejects.toEqual(refused);
    await finishPasskey(deps, person, { name: "x", credential });
    await expect(finishPasskey(deps, person, { name: "x", credential })).rejects.toEqual(refused);
    await expect(startPasskey(deps, other, {})).rejects.toEqual(appError("invalid_request"));
  });

  test("of another person confirms nothing", async ({ deps, make, withPasskey, clock }) => {
    const [person, other] = [await make.user(), await make.user()];
    const [mine, theirs] = [await withPasskey(person), await withPasskey(other)];
    await clock.advance(10 * 60_000);
    await expect(requireConfirmed(deps, person)).rejects.toEqual(appError("confirmation_required"));
    const confirmWith = async ({ device }: typeof mine) => {
      const credential = device.answer(await startConfirm(deps, person), { origin });
      await confirmWithPasskey(deps, person, { credential });
    };
    await expect(confirmWith(theirs)).rejects.toEqual(refused);
    await confirmWith(mine);
    await requireConfirmed(deps, person);
  });
});

describe("before a dangerous act", () => {
  test("the second factor is asked for again, once in ten minutes, for each session", async ({
    deps,
    make,
    withTotp,
    clock,
  }) => {
    const person = await make.user();
    await requireConfirmed(deps, person);
    const { nextCode } = await withTotp(person);
    const { cookies } = await (await enterPassword(deps, person)).send(await nextCode());
    const other = (await resolveSession(deps, headersOf(cookies)))?.person;
    if (!other) throw new Error("There is no session.");
    await clock.advance(10 * 60_000 - 1);
    await requireConfirmed(deps, other);
    await clock.advance(1);
    const asked = appError("confirmation_required");
    await expect(requireConfirmed(deps, other)).rejects.toEqual(asked);
    await expect(confirmWithCode(deps, person, { code: "000000" }, client)).rejects.toEqual(
      appError("invalid_request"),
    );
    await confirmWithCode(deps, person, { code: await nextCode() }, client);
    await requireConfirmed(deps, person);
    await expect(requireConfirmed(deps, other)).rejects.toEqual(asked);
  });
});

describe("an organization that demands a second factor", () => {
  const access = async (deps: Deps, { sessionId }: Pick<TestUser, "sessionId">) =>
    (await readCurrentAccess(deps, { keyIds: [], sessionIds: [sessionId] })).sessions.get(sessionId);

  test("is not opened by a session without one, whoever's, until it is set up", async ({
    deps,
    make,
    clock,
  }) => {
    const owner = await make.owner();
    const member = await make.member(owner.organizationId);
    const [boss, worker] = [await signIn(deps, owner.email), await signIn(deps, member.email)];
    await updateSettings(deps, owner, { secondFactorFor: "admins" });
    await expect(boss.getCaller()).rejects.toThrow();
    expect(await boss.describe()).toMatchObject({
      organizationId: null,
      blocked: { organizationId: owner.organizationId, by: "second_factor" },
    });
    expect(await access(deps, boss.person)).toMatchObject({ organizationId: null, role: null });
    expect(await access(deps, worker.person)).toMatchObject({ role: "member" });
    await worker.getCaller();
    await updateSettings(deps, owner, { secondFactorFor: "everybody" });
    await expect(worker.getCaller()).rejects.toThrow();
    const { secret } = await startTotp(deps, worker.person, { currentPassword });
    await finishTotp(deps, worker.person, { code: nextTotpCode(secret, clock) });
    await worker.getCaller();
    expect(await access(deps, worker.person)).toMatchObject({ role: "member" });
  });
});

describe("a reset by an admin", () => {
  const days = 86_400_000;

  const lostDevice = async (deps: Deps, team: { admin: Caller }, person: TestUser) => {
    const { effectiveAt } = await requestFactorReset(deps, team.admin, person);
    expect(new Date(effectiveAt).getTime() - deps.clock.now().getTime()).toBe(3 * days);
  };

  test("takes three days and is told at once", async ({ deps, make, withTotp, clock }) => {
    const admin = await make.owner();
    const person = await make.member(admin.organizationId);
    await withTotp(person);
    const logged = await auditDuring(deps, admin.organizationId, async () => {
      await lostDevice(deps, { admin }, person);
      const [mail] = await queuedMailsTo(deps, person.email);
      expect(mail?.subject).toBe("Your second factor for Querybell will be removed");
      await clock.advance(3 * days - 1000);
      await enterPassword(deps, person);
      await clock.advance(1000);
      await expect(signIn(deps, person.email)).resolves.toBeDefined();
    });
    expect(logged.map(({ action }) => action)).toEqual([
      "member.second_factor_reset_requested",
      "member.second_factor_reset",
    ]);
    expect(await getSecondFactor(deps, person)).toMatchObject({ totpSince: null, recoveryCodesLeft: 0 });
  });

  test("is cancelled by the person, and by joining another organization", async ({
    deps,
    make,
    withTotp,
    clock,
  }) => {
    const admin = await make.owner();
    const person = await make.member(admin.organizationId);
    await withTotp(person);
    await lostDevice(deps, { admin }, person);
    await cancelFactorReset(deps, person);
    await lostDevice(deps, { admin }, person);
    const elsewhere = await make.owner();
    const { link } = await createInvitation(deps, elsewhere, { email: person.email, role: "member" });
    await acceptInvitation(deps, person, { token: link.url.split("#")[1] ?? "" });
    await clock.advance(4 * days);
    await enterPassword(deps, person);
    await expect(requestFactorReset(deps, admin, person)).rejects.toEqual(appError("forbidden"));
  });

  test("is for owners if it concerns an owner, and needs a factor", async ({ deps, make, withTotp }) => {
    const owner = await make.owner();
    const admin = await make.member(owner.organizationId, "admin");
    await expect(requestFactorReset(deps, owner, admin)).rejects.toEqual(appError("conflict"));
    await withTotp(owner);
    await expect(requestFactorReset(deps, admin, owner)).rejects.toEqual(appError("forbidden"));
  });
});
