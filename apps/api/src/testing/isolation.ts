import { randomBytes } from "node:crypto";
import { createKey } from "@querybell/core/keys";
import { createPasswordResetLink } from "@querybell/core/members";
import { Scope } from "@querybell/domain";
import { expect } from "vitest";
import type { Procedure } from "../api-reference/procedures.ts";
import { apiTest } from "./api-test.ts";
import { type Answer, callProcedure, type everyProcedure } from "./every-procedure.ts";
import { kindOfField } from "./kind-of-field.ts";
import { makeOrganizationWithEverything } from "./organization-with-everything.ts";
import {
  idsIn,
  oneIdOfEachKind,
  oneOfEachShortId,
  refuseEmptyTables,
  rowsOfOrganization,
} from "./rows-of-organization.ts";
import { fieldsWithIds, withIds } from "./sample-input.ts";

const test = apiTest
  .extend("serverSettings", { scope: "file" }, () => ({ RATE_LIMIT_PER_MINUTE: 1_000_000 }))
  .extend("people", { scope: "file" }, async ({ api, deps, make }) => {
    const [owner, member] = [await make.user(), await make.user()];
    const cookie = await api.sessionCookie(owner.email);
    const token = decodeURIComponent(cookie).split(/[=.]/)[2] ?? "";
    const session = await deps.db.prisma.session.findUniqueOrThrow({ where: { token } });
    return { owner: { ...owner, sessionId: session.id }, member, cookie };
  })
  /** The caller's organization with everything, which becomes that of the session. */
  .extend("makeOurs", { scope: "file" }, ({ deps, people }) => async () => {
    const caller = await makeOrganizationWithEverything(deps, people, "ours");
    const { key } = await createKey(deps, caller, { name: "All", scopes: [...Scope.options] });
    const rows = await rowsOfOrganization(deps.db.pool, caller.organizationId);
    return { key, ownIds: new Map([...oneIdOfEachKind(rows), ...oneOfEachShortId(rows)]) };
  })
  /** The organization that calls: a new one after an accepted change, which may have deleted or ended what it has. */
  .extend("ours", { scope: "file" }, ({ makeOurs }) => {
    let made: ReturnType<typeof makeOurs> | undefined;
    return {
      get: () => (made ??= makeOurs()),
      replace: () => {
        made = undefined;
      },
    };
  })
  /**
   * Another organization, the same one for all tests, since none may change it. It is created last, so that its rows are
   * the newest and the first page of a leaking list would show them.
   */
  .extend("other", { scope: "file" }, async ({ deps, make, ours }) => {
    await ours.get();
    const marker = `marker${randomBytes(8).toString("hex")}`;
    const [owner, member] = [await make.user({ name: marker }), await make.user({ name: marker })];
    const caller = await makeOrganizationWithEverything(deps, { owner, member }, marker);
    await createPasswordResetLink(deps, caller, { userId: member.userId });
    const read = () => rowsOfOrganization(deps.db.pool, caller.organizationId);
    const before = await read();
    refuseEmptyTables(before);
    return {
      foreign: { ids: oneIdOfEachKind(before), shortIds: oneOfEachShortId(before) },
      /** What no answer may show. */
      secrets: { ids: idsIn(before), texts: [marker, owner.email, member.email] },
      before,
      read,
    };
  });

/** Ids of objects of the other organization, by kind. */
interface ForeignIds {
  ids: Map<string, string>;
  /** A field for a short id refuses any other. */
  shortIds: Map<string, string>;
}

/** Ids of these kinds, or one of each kind where they are not known. `pnpm fuzz` sends every kind to every field. */
const foreignIdsFor = (kinds: readonly string[], { ids, shortIds }: ForeignIds): readonly string[] => {
  const known = kinds.flatMap((kind) => shortIds.get(kind) ?? ids.get(kind) ?? []);
  return known.length > 0 ? known : [...ids.values()];
};

const items = ["automations", "dashboards", "queries", "query_references"];

/** The kinds that fields for ids of these routers take: several, unlike others. */
const kindsOfRouter: Record<string, readonly string[]> = {
  audit: [...items, "analytical_database_configs", "api_keys", "users", "webhook_endpoints"],
  home: items,
  library: [...items, "folders", "query_drafts"],
};

/** The input with foreign ids of one kind after the other, in every place that can have it. */
function* ofEveryKind(lists: (readonly string[])[]): Generator<string[]> {
  const count = Math.max(0, ...lists.map(({ length }) => length));
  for (let at = 0; at < count; at++) yield lists.map((list) => list[at] ?? list[0] ?? "");
}

/** The input with foreign ids of the kinds that its fields expect. */
const ofExpectedKinds = (kinds: string[], foreign: ForeignIds): string[] =>
  kinds.map((kind) => foreign.ids.get(kind) ?? foreignIdsFor([kind], foreign)[0] ?? "");

/** For inputs with several ids: one foreign id at a time, in each place, beside the caller's own ids. */
function* beside(own: string[], lists: (readonly string[])[]): Generator<string[]> {
  if (own.length < 2) return;
  for (const [at, list] of lists.entries()) for (const id of list) yield own.with(at, id);
}

/** Splits the procedures between two test files, which run in parallel: all of them take a minute. */
export const isAboutQueries = ({ path }: { path: string }): boolean =>
  /^(drafts|queries|references|runs|databases)\./.test(path);

/** Tests that no call of these procedures shows or changes anything of another organization. */
export function testIsolation(procedures: typeof everyProcedure): void {
  // Those that only read come first, so that their organizations are the newest.
  for (const procedure of procedures.toSorted((a, b) => Number(changes(a)) - Number(changes(b))))
    testProcedure(procedure);
}

const changes = ({ type }: Pick<Procedure, "type">): boolean => type === "mutation";

function testProcedure(procedure: (typeof everyProcedure)[number]): void {
  test(`${procedure.path} shows and changes nothing of another organization`, async ({
    api,
    people,
    ours,
    other,
  }) => {
    const { key, ownIds } = await ours.get();
    const { foreign, secrets } = other;
    const identifiers = [...secrets.ids, ...foreign.shortIds.values()];

    const expectNothingIn = ({ status, text, reason }: Answer, sent: string[]) => {
      // An error message may repeat an id of the input.
      const ids = reason ? identifiers.filter((id) => !sent.includes(id)) : identifiers;
      const shown = [...secrets.texts, ...ids].filter((secret) => text.toLowerCase().includes(secret));
      expect(shown, text).toEqual([]);
      expect(status, text).toBeLessThan(500);
    };

    const [router = ""] = procedure.path.split(".");
    const combined = new Set<string>();
    const session = { cookie: people.cookie, origin: api.origin };
    for (const headers of [session, { authorization: `Bearer ${key}` }]) {
      for (const sample of procedure.samples) {
        const call = async (input: unknown) => {
          const answer = await callProcedure(api, procedure, { input, headers });
          if (changes(procedure) && answer.status < 400) ours.replace();
          return answer;
        };
        const unknown = await call(sample.input);
        // Rejected because of the caller, before the input is read. Other inputs would not change that.
        if (unknown.reason === "forbidden") continue;
        const fields = fieldsWithIds(sample);
        const kinds = fields.map((name) => kindOfField(name, router) ?? "");
        const sentIds = kinds.map((kind) => foreignIdsFor(kindsOfRouter[router] ?? [kind], foreign));
        const expectRefused = async (sent: string[]) => {
          const answer = await call(withIds(sample, sent));
          expectNothingIn(answer, sent);
          // Another organization's object must look like one that does not exist.
          if (sent.length > 0) expect(answer.reason, answer.text).toBe(unknown.reason);
        };
        await expectRefused(ofExpectedKinds(kinds, foreign));
        // Samples with ids in the same fields differ in others only, so one of them is enough for these many inputs,
        // and a key reaches the same use cases as a session.
        if (headers !== session || combined.has(fields.join())) continue;
        combined.add(fields.join());
        for (const sent of ofEveryKind(sentIds)) await expectRefused(sent);
        const own = kinds.map((kind, at) => ownIds.get(kind) ?? sample.ids[at] ?? "");
        for (const sent of beside(own, sentIds)) expectNothingIn(await call(withIds(sample, sent)), sent);
      }
    }
    expect(await other.read()).toEqual(other.before);
  });
}
