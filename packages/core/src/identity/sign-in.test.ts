import { describe, expect, test as plainTest } from "vitest";
import { purgeExpiredIdentity } from "../retention/index.ts";
import { appError } from "../testing/app-error.ts";
import { dbTest as realTest } from "../testing/db-test.ts";
import { testPassword } from "../testing/factories.ts";
import { queuedMailsTo } from "../testing/queued-mails.ts";
import { signIn } from "../testing/sign-in.ts";
import {
  dismissFailedSignIns,
  endOtherSessions,
  endSession,
  listSessions,
  resolveSession,
  signInWithPassword,
} from "./index.ts";
import { maxAttempts, networkOf } from "./sign-in-limits.ts";

const dbTest = realTest.extend("passwordHashes", { scope: "file" }, () => "fast" as const);

let addresses = 0;
const newClient = () => ({ address: `198.51.100.${++addresses}`, userAgent: "curl/8" });
const limited = appError("rate_limited", /Too many failed tries. Wait 15 minutes/);
const wrong = appError("unauthorized", /email address or the password is wrong/);

describe("attempts to sign in", () => {
  dbTest("are limited for an account, from whatever addresses they come", async ({ deps, make, clock }) => {
    const { email } = await make.user();
    const attempt = (password: string) => signInWithPassword(deps, { email, password }, newClient());
    const tries = await Promise.allSettled(
      Array.from({ length: maxAttempts.account + 2 }, () => attempt("no")),
    );
    const codes = tries.map((one) => (one.status === "rejected" ? one.reason.code : "signed in")).toSorted();
    expect(codes).toEqual([
      ...Array(2).fill("rate_limited"),
      ...Array(maxAttempts.account).fill("unauthorized"),
    ]);
    await expect(attempt(testPassword)).rejects.toEqual(limited);
    await clock.advance(15 * 60_000);
    await expect(attempt(testPassword)).resolves.toBeDefined();
  });

  dbTest("are limited for an address without an account likewise", async ({ deps }) => {
    const attempt = () =>
      signInWithPassword(deps, { email: "nobody@example.test", password: "no" }, newClient());
    for (let tries = 0; tries < maxAttempts.account; tries++) await expect(attempt()).rejects.toEqual(wrong);
    await expect(attempt()).rejects.toEqual(limited);
  });

  dbTest("are limited for a client's address, for whatever accounts they are", async ({ deps, make }) => {
    const { email } = await make.user();
    const client = { address: "2001:db8:1:2::7", userAgent: null };
    await expect(signInWithPassword(deps, { email, password: "no" }, client)).rejects.toEqual(wrong);
    await deps.db.pool.query("UPDATE sign_in_limits SET attempts = $1 WHERE attempts = 1", [
      maxAttempts.address,
    ]);
    const neighbour = { address: "2001:db8:1:2:ffff::1", userAgent: null };
    const other = await make.user();
    const asOther = (from: typeof client) =>
      signInWithPassword(deps, { email: other.email, password: testPassword }, from);
    await expect(asOther(neighbour)).rejects.toEqual(limited);
    await expect(asOther({ ...client, address: "2001:db8:1:3::7" })).resolves.toBeDefined();
  });

  dbTest("that succeed are not counted, and begin the count anew", async ({ deps, make }) => {
    const { email } = await make.user();
    const client = newClient();
    for (let round = 0; round < 3; round++) {
      for (let tries = 1; tries < maxAttempts.account / 2; tries++) {
        await expect(signInWithPassword(deps, { email, password: "no" }, client)).rejects.toEqual(wrong);
      }
      await signInWithPassword(deps, { email, password: testPassword }, client);
    }
  });

  dbTest(
    "that fail are told to the person at the next sign-in, until dismissed",
    async ({ deps, make, clock }) => {
      const { email } = await make.owner();
      const fail = async () => {
        await clock.advance(1000);
        const client = { address: "203.0.113.9", userAgent: "Mozilla/5.0 (Windows NT 10.0) Firefox/140.0" };
        await expect(signInWithPassword(deps, { email, password: "no" }, client)).rejects.toEqual(wrong);
      };
      await fail();
      await fail();
      const session = await signIn(deps, email);
      const { failedSignIns } = await session.describe();
      expect(failedSignIns).toMatchObject({
        hasSecondFactor: false,
        count: 2,
        lastAddress: "203.0.113.9",
        lastProgram: "Firefox on Windows",
      });
      const lastAt = failedSignIns?.lastAt ?? "";
      await fail();
      await dismissFailedSignIns(deps, session.person, { lastAt });
      expect((await session.describe()).failedSignIns).toMatchObject({ count: 3 });
      const seen = (await session.describe()).failedSignIns?.lastAt ?? "";
      await dismissFailedSignIns(deps, session.person, { lastAt: seen });
      expect((await session.describe()).failedSignIns).toBeNull();
    },
  );

  dbTest("that reach the limit are told by mail, once", async ({ deps, make }) => {
    const { email } = await make.user();
    const attempt = () =>
      signInWithPassword(deps, { email, password: "no" }, { address: "203.0.113.9", userAgent: null });
    for (let tries = 0; tries < maxAttempts.account + 3; tries++) await attempt().catch(() => undefined);
    const mails = await queuedMailsTo(deps, email);
    expect(mails.map(({ subject }) => subject)).toEqual(["Failed attempts to sign in to Querybell"]);
    expect(mails[0]?.text).toContain("203.0.113.9");
  });

  dbTest("are forgotten when their time has passed", async ({ deps, clock }) => {
    await signInWithPassword(deps, { email: "gone@example.test", password: "no" }, newClient()).catch(
      () => {},
    );
    await clock.advance(16 * 60_000);
    await purgeExpiredIdentity(deps);
    expect(await deps.db.prisma.signInLimit.count()).toBe(0);
  });
});

describe("signing in", () => {
  dbTest("begins a new session, whatever cookie the browser has", async ({ deps, make }) => {
    const [victim, attacker] = [await make.user(), await make.user()];
    const planted = await signIn(deps, attacker.email);
    const session = await signIn(deps, victim.email);
    expect(session.person.sessionId).not.toBe(planted.person.sessionId);
    expect((await planted.describe()).user.id).toBe(attacker.userId);
  });

  dbTest("does not outlast a password that is changed at the same time", async ({ deps, make }) => {
    const { email, userId } = await make.user();
    const { password: hasher } = await deps.auth.$context;
    const verify: typeof hasher.verify = async (input) => {
      const isRight = await hasher.verify(input);
      await deps.db.prisma.account.updateMany({ where: { userId }, data: { password: "another hash" } });
      return isRight;
    };
    const $context = deps.auth.$context.then((context) => ({ ...context, password: { ...hasher, verify } }));
    const slow = { ...deps, auth: { ...deps.auth, $context } };
    await expect(signInWithPassword(slow, { email, password: testPassword }, newClient())).rejects.toEqual(
      wrong,
    );
    expect(await deps.db.prisma.session.count({ where: { userId } })).toBe(1);
  });
});

describe("sessions", () => {
  dbTest("are listed with program and address of their last use", async ({ deps, make, clock }) => {
    const { email, userId, sessionId } = await make.user();
    await clock.advance(1000);
    const { cookies } = await signInWithPassword(
      deps,
      { email, password: testPassword },
      { address: "198.51.100.1", userAgent: "curl/8" },
    );
    const use = async (address: string) => {
      const cookie = cookies.map((one) => one.split(";")[0]).join("; ");
      const headers = { cookie, "user-agent": "Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0" };
      await resolveSession(deps, new Headers({ ...headers, "x-querybell-client-address": address }));
    };
    const latest = async () => (await listSessions(deps, { userId, sessionId }))[0];
    expect(await latest()).toMatchObject({ program: "curl", address: "198.51.100.1", isCurrent: false });
    await clock.advance(1000);
    await use("198.51.100.2");
    expect(await latest()).toMatchObject({ program: "Firefox on Linux", address: "198.51.100.2" });
    const lastUsedAt = (await latest())?.lastUsedAt;
    await clock.advance(59_000);
    await use("198.51.100.3");
    expect(await latest()).toMatchObject({ lastUsedAt, address: "198.51.100.2" });
    await clock.advance(1000);
    await use("198.51.100.3");
    expect(await latest()).toMatchObject({ lastUsedAt: clock.now().toISOString(), address: "198.51.100.3" });
  });

  dbTest("end one by one, or all but the current one, and only by their person", async ({ deps, make }) => {
    const { email, userId, sessionId } = await make.user();
    const person = { userId, sessionId };
    const [first, second, third] = [
      await signIn(deps, email),
      await signIn(deps, email),
      await signIn(deps, email),
    ];
    const stranger = await make.user();
    const { sessionId: id } = first.person;
    await expect(endSession(deps, stranger, { id })).rejects.toEqual(appError("not_found"));
    expect(await first.isActive()).toBe(true);
    await endSession(deps, person, { id });
    await expect(endSession(deps, person, { id })).rejects.toEqual(appError("not_found"));
    expect([await first.isActive(), await second.isActive()]).toEqual([false, true]);
    await endOtherSessions(deps, second.person);
    expect([await second.isActive(), await third.isActive()]).toEqual([true, false]);
    expect(await deps.db.prisma.session.count({ where: { userId: stranger.userId } })).toBe(1);
  });
});

plainTest.each([
  ["192.0.2.1", "192.0.2.1"],
  ["::ffff:192.0.2.1", "192.0.2.1"],
  ["2001:db8:0:1::5", "2001:db8:0:1::/64"],
  ["2001:0db8::1:0:0:5", "2001:db8:0:0::/64"],
  ["::1", "0:0:0:0::/64"],
  ["fe80::1%eth0", "fe80:0:0:0::/64"],
])("the network of %s is %s", (address, network) => expect(networkOf(address)).toBe(network));
