import { randomBytes } from "node:crypto";
import { createKey, createPasswordResetLink } from "@querybell/core";
import { Scope } from "@querybell/domain";
import { expect } from "vitest";
import { apiTest } from "./testing/api-test.ts";
import { type Answer, callProcedure, everyProcedure } from "./testing/every-procedure.ts";
import { makeOrganizationWithEverything } from "./testing/organization-with-everything.ts";
import {
  idsIn,
  oneIdOfEachKind,
  refuseEmptyTables,
  rowsOfOrganization,
} from "./testing/rows-of-organization.ts";
import { withIds } from "./testing/sample-input.ts";

const test = apiTest
  .override("serverSettings", { RATE_LIMIT_PER_MINUTE: 1_000_000 })
  .extend("other", { scope: "file" }, async ({ deps, make }) => {
    const marker = `marker${randomBytes(8).toString("hex")}`;
    const [owner, member] = [await make.user({ name: marker }), await make.user({ name: marker })];
    const caller = await makeOrganizationWithEverything(deps, { owner, member }, marker);
    await createPasswordResetLink(deps, caller, { userId: member.userId });
    const read = () => rowsOfOrganization(deps.db.pool, caller.organizationId);
    const rows = await read();
    refuseEmptyTables(rows);
    return { read, ids: idsIn(rows), texts: [marker, owner.email, member.email] };
  })
  .extend("people", { scope: "file" }, async ({ api, deps, make }) => {
    const [owner, member] = [await make.user(), await make.user()];
    const cookie = await api.sessionCookie(owner.email);
    const token = decodeURIComponent(cookie).split(/[=.]/)[2] ?? "";
    const session = await deps.db.prisma.session.findUniqueOrThrow({ where: { token } });
    return { owner: { ...owner, sessionId: session.id }, member, cookie };
  });

/** Each id alone and, where an input names several things, beside ids of our own. */
function* mixtures(places: number, theirs: string[], ours: string[]): Generator<string[]> {
  if (places === 0) yield [];
  else for (const id of theirs) yield Array.from({ length: places }, () => id);
  if (places < 2) return;
  for (let at = 0; at < places; at++) {
    for (const our of ours)
      for (const id of theirs) yield Array.from({ length: places }, () => our).with(at, id);
  }
}

for (const procedure of everyProcedure) {
  test(`${procedure.path} shows and changes nothing of another organization`, async ({
    api,
    deps,
    other,
    people,
  }) => {
    const before = await other.read();
    // An organization of its own for each procedure: what one of them ends, the next one has again.
    const caller = await makeOrganizationWithEverything(deps, people, "ours");
    const { key } = await createKey(deps, caller, { name: "All", scopes: [...Scope.options] });
    const ours = oneIdOfEachKind(await rowsOfOrganization(deps.db.pool, caller.organizationId));

    const expectNothingIn = ({ status, text, reason }: Answer, sent: string[]) => {
      // A refusal may repeat the id that it was sent.
      const ids = reason ? other.ids.filter((id) => !sent.includes(id)) : other.ids;
      const shown = [...other.texts, ...ids].filter((secret) => text.toLowerCase().includes(secret));
      expect(shown, text).toEqual([]);
      expect(status, text).toBeLessThan(500);
    };

    for (const headers of [
      { cookie: people.cookie, origin: api.origin },
      { authorization: `Bearer ${key}` },
    ]) {
      for (const sample of procedure.samples) {
        const unknown = await callProcedure(api, procedure, { input: sample.input, headers });
        for (const ids of mixtures(sample.ids.length, other.ids, ours)) {
          const answer = await callProcedure(api, procedure, { input: withIds(sample, ids), headers });
          expectNothingIn(answer, ids);
          // What belongs to somebody else must look like what is not there.
          if (new Set(ids).size === 1) expect(answer.reason, answer.text).toBe(unknown.reason);
        }
      }
    }
    expect(await other.read()).toEqual(before);
  });
}
