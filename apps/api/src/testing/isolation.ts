import { randomBytes } from "node:crypto";
import { createKey } from "@querybell/core/keys";
import { createPasswordResetLink } from "@querybell/core/members";
import { Scope } from "@querybell/domain";
import { expect } from "vitest";
import { apiTest } from "./api-test.ts";
import { type Answer, callProcedure, type everyProcedure } from "./every-procedure.ts";
import { kindOfField } from "./kind-of-field.ts";
import { makeOrganizationWithEverything } from "./organization-with-everything.ts";
import { idsIn, oneIdOfEachKind, refuseEmptyTables, rowsOfOrganization } from "./rows-of-organization.ts";
import { fieldsWithIds, withIds } from "./sample-input.ts";

const test = apiTest
  .extend("serverSettings", { scope: "file" }, () => ({ RATE_LIMIT_PER_MINUTE: 1_000_000 }))
  .extend("makeOther", { scope: "file" }, ({ deps, make }) => {
    return async () => {
      const marker = `marker${randomBytes(8).toString("hex")}`;
      const [owner, member] = [await make.user({ name: marker }), await make.user({ name: marker })];
      const caller = await makeOrganizationWithEverything(deps, { owner, member }, marker);
      await createPasswordResetLink(deps, caller, { userId: member.userId });
      const read = () => rowsOfOrganization(deps.db.pool, caller.organizationId);
      const rows = await read();
      refuseEmptyTables(rows);
      return {
        read,
        ids: idsIn(rows),
        kinds: oneIdOfEachKind(rows),
        texts: [marker, owner.email, member.email],
      };
    };
  })
  .extend("people", { scope: "file" }, async ({ api, deps, make }) => {
    const [owner, member] = [await make.user(), await make.user()];
    const cookie = await api.sessionCookie(owner.email);
    const token = decodeURIComponent(cookie).split(/[=.]/)[2] ?? "";
    const session = await deps.db.prisma.session.findUniqueOrThrow({ where: { token } });
    return { owner: { ...owner, sessionId: session.id }, member, cookie };
  });

/** The input with one id at a time. */
function* alone(places: number, ids: Iterable<string>): Generator<string[]> {
  if (places === 0) yield [];
  else for (const id of ids) yield Array.from({ length: places }, () => id);
}

/** For inputs with several ids: one foreign id at a time, in each place, beside the caller's own ids. */
function* beside(own: string[], foreign: Iterable<string>): Generator<string[]> {
  if (own.length < 2) return;
  for (const id of foreign) for (const at of own.keys()) yield own.with(at, id);
}

/** Splits the procedures between two test files, which run in parallel: all of them take minutes. */
export const isAboutQueries = ({ path }: { path: string }): boolean =>
  /^(queries|references|runs|databases)\./.test(path);

/** Tests that no call of these procedures shows or changes anything of another organization. */
export function testIsolation(procedures: typeof everyProcedure): void {
  for (const procedure of procedures) testProcedure(procedure);
}

function testProcedure(procedure: (typeof everyProcedure)[number]): void {
  test(`${procedure.path} shows and changes nothing of another organization`, async ({
    api,
    deps,
    makeOther,
    people,
  }) => {
    // A new organization for each procedure, because procedures delete and end objects.
    const caller = await makeOrganizationWithEverything(deps, people, "ours");
    const { key } = await createKey(deps, caller, { name: "All", scopes: [...Scope.options] });
    const ours = oneIdOfEachKind(await rowsOfOrganization(deps.db.pool, caller.organizationId));
    // Created last, so that its rows are the newest and the first page of a leaking list would show them.
    const other = await makeOther();
    const before = await other.read();

    const expectNothingIn = ({ status, text, reason }: Answer, sent: string[]) => {
      // An error message may repeat an id of the input.
      const secrets = reason ? other.ids.filter((id) => !sent.includes(id)) : other.ids;
      const shown = [...other.texts, ...secrets].filter((secret) => text.toLowerCase().includes(secret));
      expect(shown, text).toEqual([]);
      expect(status, text).toBeLessThan(500);
    };

    const [router = ""] = procedure.path.split(".");
    const combined = new Set<string>();
    const session = { cookie: people.cookie, origin: api.origin };
    for (const headers of [session, { authorization: `Bearer ${key}` }]) {
      // A key reaches the same use cases as a session, so one id of each kind is enough for it.
      const isSession = headers === session;
      for (const sample of procedure.samples) {
        const call = (input: unknown) => callProcedure(api, procedure, { input, headers });
        const unknown = await call(sample.input);
        // Rejected because of the caller, before the input is read. Other inputs would not change that.
        if (unknown.reason === "forbidden") continue;
        for (const sent of alone(sample.ids.length, isSession ? other.ids : other.kinds.values())) {
          const answer = await call(withIds(sample, sent));
          expectNothingIn(answer, sent);
          // Another organization's object must look like one that does not exist.
          if (sent.length > 0) expect(answer.reason, answer.text).toBe(unknown.reason);
        }
        // Samples with ids in the same fields differ in others only, so one of them is enough for these many inputs.
        const fields = fieldsWithIds(sample);
        if (!isSession || combined.has(fields.join())) continue;
        combined.add(fields.join());
        const own = fields.map(
          (name, at) => ours.get(kindOfField(name, router) ?? "") ?? sample.ids[at] ?? "",
        );
        for (const sent of beside(own, other.kinds.values()))
          expectNothingIn(await call(withIds(sample, sent)), sent);
      }
    }
    expect(await other.read()).toEqual(before);
  });
}
