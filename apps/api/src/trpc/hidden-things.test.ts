import { setDatabaseAccess, setFolderAccess } from "@querybell/core/access";
import { expect } from "vitest";
import { apiTest } from "../testing/api-test.ts";
import { callProcedure, everyProcedure } from "../testing/every-procedure.ts";
import { kindOfField } from "../testing/kind-of-field.ts";
import { makeOrganizationWithEverything } from "../testing/organization-with-everything.ts";
import { oneIdOfEachKind, oneOfEachShortId, rowsOfOrganization } from "../testing/rows-of-organization.ts";
import { fieldsWithIds, withIds } from "../testing/sample-input.ts";

const test = apiTest.extend("serverSettings", { scope: "file" }, () => ({
  RATE_LIMIT_PER_MINUTE: 1_000_000,
}));

const marker = "zebrafish";

/** What everybody in the organization may know: its own name, which model it uses, and its destinations. */
const isForEverybody =
  /organization.zebrafish|Model zebrafish|Destination zebrafish|127\.0\.0\.1:1\/zebrafish/gi;

/** These change the caller's own account or membership. */
const aboutTheCaller = /^(me|members|invitations|notifications)\./;

/** Procedures that are added later are called too. */
test("no procedure shows or changes a thing whose folder or database is for nobody", async ({
  api,
  deps,
  make,
  makeKey,
}) => {
  const [owner, colleague] = [await make.user(), await make.user()];
  const caller = await makeOrganizationWithEverything(deps, { owner, member: colleague }, marker);
  const { organizationId } = caller;
  const folders = await deps.db.prisma.folder.findMany({ where: { organizationId } });
  for (const folderId of [null, ...folders.map(({ id }) => id)]) {
    await setFolderAccess(deps, caller, { folderId, grants: [] });
  }
  for (const { id } of await deps.db.prisma.analyticalDatabaseConfig.findMany({
    where: { organizationId },
  })) {
    await setDatabaseAccess(deps, caller, { databaseId: id, grants: [] });
  }
  const person = await make.member(organizationId);
  const session = { cookie: await api.sessionCookie(person.email), origin: api.origin };
  const key = { authorization: `Bearer ${(await makeKey(person)).key}` };
  const read = async () => {
    const rows = await rowsOfOrganization(deps.db.pool, organizationId);
    return protectedTables.map((table) => rows.get(table)?.filter((row) => row.includes(marker)));
  };
  const before = await read();
  const rows = await rowsOfOrganization(deps.db.pool, organizationId);
  const ids = new Map([...oneIdOfEachKind(rows), ...oneOfEachShortId(rows)]);

  let calls = 0;
  for (const procedure of everyProcedure) {
    if (aboutTheCaller.test(procedure.path) || procedure.access === "public") continue;
    const [router = ""] = procedure.path.split(".");
    for (const sample of procedure.samples) {
      const named = fieldsWithIds(sample).map((name) => ids.get(kindOfField(name, router) ?? ""));
      const input = withIds(
        sample,
        sample.ids.map((id, at) => named[at] ?? id),
      );
      for (const headers of procedure.scope ? [session, key] : [session]) {
        calls++;
        const { status, text } = await callProcedure(api, procedure, { input, headers });
        expect(status, `${procedure.path}: ${text}`).toBeLessThan(500);
        const shown = text.replaceAll(isForEverybody, "");
        expect(shown, procedure.path).not.toContain(marker);
      }
    }
  }
  expect(calls).toBeGreaterThan(100);
  expect(await read()).toEqual(before);
});

const protectedTables = [
  "automations",
  "folders",
  "queries",
  "query_parameters",
  "query_references",
  "query_versions",
  "table_descriptions",
  "uploaded_tables",
];
