import { gunzipSync } from "node:zlib";
import { withRights } from "@querybell/db";
import type { Caller } from "@querybell/domain";
import { withConnection } from "@querybell/test-database";
import { describe, expect } from "vitest";
import { previewTable } from "../databases/index.ts";
import { createDraft, runDraft, saveDraft } from "../drafts/index.ts";
import { changeGroupMembers, createGroup } from "../groups/index.ts";
import { setAttributes } from "../members/index.ts";
import { getQuery, updateQuery } from "../queries/index.ts";
import { createReference } from "../references/index.ts";
import { getResult, getResultOfRun, readResult } from "../results/index.ts";
import { getRun, listRuns, refreshQuery, runQuery } from "../runs/index.ts";
import { appError } from "../testing/app-error.ts";
import { execute } from "../testing/run-states.ts";
import { runTest } from "../testing/run-test.ts";
import { setGroupRoles, setRowPolicies } from "./row-policies.ts";

/** What somebody sees: with their rights, as a request has them. */
const test = runTest.extend("as", { scope: "file" }, ({ deps }) => {
  return async <T>(person: Caller, work: () => Promise<T>): Promise<T> =>
    withRights(await deps.rights.of(person), work);
});

describe("a query with values of the person who runs it", () => {
  test("has a run and a result for each set of values, seen by people with the same", async ({
    deps,
    make,
    as,
  }) => {
    const owner = await make.owner();
    const [one, other] = [await make.member(owner.organizationId), await make.member(owner.organizationId)];
    const { id } = await make.query(owner, "SELECT {{user_email}} AS email");
    const run = (person: Caller) => as(person, () => runQuery(deps, person, { id, parameterValues: {} }));
    const ofOne = await run(one);
    expect(await run(one)).toMatchObject({ id: ofOne.id, parameterValues: {} });
    const ofOther = await run(other);
    expect(ofOther.id).not.toBe(ofOne.id);
    await execute(deps, ofOne.id);
    await execute(deps, ofOther.id);

    for (const [person, own, foreign] of [
      [one, ofOne, ofOther],
      [other, ofOther, ofOne],
    ] as const) {
      await as(person, async () => {
        const result = await getResult(deps, person, { id });
        expect(result).toMatchObject({ runId: own.id, parameterValues: {} });
        const { whole } = await readResult(deps, person, result);
        expect(whole?.length).toBeGreaterThan(0);
        expect((await getQuery(deps, person, { id })).latestRun?.id).toBe(own.id);
        await expect(getRun(deps, person, foreign)).rejects.toEqual(appError("not_found"));
        const { items } = await listRuns(deps, person, { queryId: id, limit: 10 });
        expect(items.map((listed) => listed.id)).toEqual([own.id]);
        const refreshed = await refreshQuery(deps, person, { id });
        expect(refreshed.renderedSql).toContain(person === one ? one.email : other.email);
        await execute(deps, refreshed.id);
      });
    }
    // An admin has values too, and sees nobody else's.
    await as(owner, async () => {
      await expect(getResult(deps, owner, { id })).rejects.toEqual(appError("result_not_found"));
      await expect(getRun(deps, owner, ofOne)).rejects.toEqual(appError("not_found"));
    });
  });

  test("that an admin runs as the person is not the person's latest run", async ({ deps, make, as }) => {
    const owner = await make.owner();
    const member = await make.member(owner.organizationId);
    const { id } = await make.query(owner, "SELECT {{user_email}} AS email, {{n}} AS n");
    const parameterValues = { n: "1" };
    const seen: Caller = { ...member, seenBy: owner.userId };
    const runAs = (person: Caller) => as(person, () => runQuery(deps, person, { id, parameterValues }));
    const latestOf = (person: Caller) =>
      as(person, async () => (await getQuery(deps, person, { id })).latestRun?.id);
    const own = await runAs(member);
    await execute(deps, own.id);
    const resultOf = (person: Caller) =>
      as(person, async () => (await getResult(deps, person, { id, parameterValues })).runId);
    expect([await latestOf(seen), await resultOf(seen)]).toEqual([own.id, own.id]);
    const shown = await runAs(seen);
    expect(shown.renderedSql).toContain(member.email);
    await execute(deps, shown.id);
    expect([await latestOf(seen), await resultOf(seen)]).toEqual([shown.id, shown.id]);
    expect([await latestOf(member), await resultOf(member)]).toEqual([own.id, own.id]);
    expect(await latestOf(owner)).toBeUndefined();
  });

  test("keeps the rows of a trial for its author when it is saved", async ({ deps, make, as }) => {
    const author = await make.owner();
    const other = await make.member(author.organizationId);
    const { id: analyticalDatabaseConfigId } = await make.database(author);
    const draft = await createDraft(deps, author, {
      sql: "SELECT {{user_email}} AS email",
      analyticalDatabaseConfigId,
    });
    const { id: draftId, revision } = draft;
    const trial = await runDraft(deps, author, { id: draftId, revision, parameterValues: {} });
    await execute(deps, trial.id);
    const { id } = await saveDraft(deps, author, { id: draftId, revision, name: "Mine" });
    expect(await as(author, () => getResult(deps, author, { id }))).toMatchObject({ rowCount: 1 });
    await expect(as(other, () => getResult(deps, other, { id }))).rejects.toEqual(
      appError("result_not_found"),
    );
  });

  test("takes none of them from the person", async ({ deps, make }) => {
    const owner = await make.owner();
    const { id } = await make.query(owner, "SELECT {{user_email}}, {{user_groups}}");
    const parameterValues = { user_email: "somebody@example.test" };
    await expect(runQuery(deps, owner, { id, parameterValues })).rejects.toEqual(
      appError("invalid_parameter_value"),
    );
    const parameters = [
      { name: "user_email", displayName: "Mail", type: "string", description: "" } as const,
    ];
    await expect(createReference(deps, owner, { queryId: id, parameters })).rejects.toEqual(
      appError("invalid_parameter_value"),
    );
  });

  test("is demanded by a policy for some tables", async ({ deps, make }) => {
    const owner = await make.owner();
    const query = await make.query(owner, "SELECT name FROM fruits");
    const databaseId = query.analyticalDatabaseConfigId;
    const policies = [{ table: "Fruits", placeholder: "user_email" }];
    await setRowPolicies(deps, owner, { databaseId, policies });
    const run = async (sql: string) => {
      const { id } = await updateQuery(deps, owner, { id: query.id, sql });
      return runQuery(deps, owner, { id, parameterValues: {} });
    };
    for (const sql of [
      "SELECT name FROM fruits WHERE weight > 1",
      'SELECT name FROM main."fruits"',
      "SELECT * FROM (SELECT * FROM FRUITS) t",
      "SELECT name FROM fruits -- {{user_email}}",
      "SELECT query_to_xml('SELECT name FROM fru' || 'its', true, false, '')",
      "SELECT \"query_to_xml\"('SELECT name FROM fru' || 'its', true, false, '')",
      'SELECT name FROM U&"fr\\0075its"',
    ]) {
      await expect(run(sql), sql).rejects.toEqual(appError("forbidden"));
    }
    const table = { id: databaseId, schema: "main", table: "fruits" };
    const signal = new AbortController().signal;
    await expect(previewTable(deps, owner, { ...table, signal })).rejects.toEqual(appError("forbidden"));
    await run("SELECT name FROM fruits WHERE name = {{user_email}}");
    await run("SELECT 1");
    await expect(run("SELECT {{User_Email}} AS mine")).rejects.toEqual(
      appError("forbidden", /small letters/),
    );
  });

  test("shows nobody a result from before a change of policies", async ({ deps, make, as }) => {
    const owner = await make.owner();
    const member = await make.member(owner.organizationId);
    const { id, analyticalDatabaseConfigId: databaseId } = await make.query(owner, "SELECT name FROM fruits");
    const run = () => as(member, () => runQuery(deps, member, { id, parameterValues: {} }));
    const before = await run();
    await execute(deps, before.id);
    const result = (person: Caller) => as(person, () => getResult(deps, person, { id }));
    expect(await result(member)).toMatchObject({ runId: before.id });
    const unfinished = await run();
    const policies = [{ table: "fruits", placeholder: "user_email" }];
    await setRowPolicies(deps, owner, { databaseId, policies });
    await execute(deps, unfinished.id);
    for (const person of [member, owner]) {
      await expect(result(person)).rejects.toEqual(appError("result_expired"));
      await as(person, async () => {
        for (const { id: runId } of [before, unfinished]) {
          await expect(getResultOfRun(deps, person, { id: runId })).rejects.toEqual(
            appError("result_expired"),
          );
        }
      });
    }
    await updateQuery(deps, owner, { id, sql: "SELECT name FROM fruits WHERE name <> {{user_email}}" });
    const after = await run();
    await execute(deps, after.id);
    expect(await result(member)).toMatchObject({ runId: after.id, rowCount: 2 });
    await expect(result(owner)).rejects.toEqual(appError("result_expired"));
    // A run is not joined that was started with other policies.
    const waiting = await run();
    await setRowPolicies(deps, owner, { databaseId, policies: [] });
    expect((await run()).id).not.toBe(waiting.id);
  });

  test("is filtered by the row security of a Postgres that has roles for groups", async ({
    deps,
    make,
    as,
    superuserUrl,
    databaseUrl,
  }) => {
    const owner = await make.owner();
    const { organizationId } = owner;
    const people = {
      north: await make.member(organizationId),
      south: await make.member(organizationId),
      nobody: await make.member(organizationId),
    };
    const suffix = owner.userId.slice(-8);
    const table = `sales_${suffix}`;
    const { username } = new URL(databaseUrl);
    await withConnection(databaseUrl, (client) =>
      client.query(`CREATE TABLE ${table} AS SELECT unnest(ARRAY['north', 'south']) AS region`),
    );
    await withConnection(superuserUrl, (client) =>
      client.query(`
        CREATE ROLE north_${suffix};
        CREATE ROLE south_${suffix};
        GRANT north_${suffix}, south_${suffix} TO "${decodeURIComponent(username)}"`),
    );
    await withConnection(databaseUrl, (client) =>
      client.query(`
        ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY;
        CREATE POLICY north ON ${table} TO north_${suffix} USING (region = 'north');
        CREATE POLICY south ON ${table} TO south_${suffix} USING (region = 'south');
        GRANT SELECT ON ${table} TO north_${suffix}, south_${suffix}`),
    );
    const query = await make.query(owner, `SELECT region FROM ${table}`, { engine: "postgres" });
    const { id, analyticalDatabaseConfigId: databaseId } = query;
    const run = (person: Caller) => as(person, () => runQuery(deps, person, { id, parameterValues: {} }));
    const result = (person: Caller) => as(person, () => getResult(deps, person, { id }));
    await execute(deps, (await run(people.nobody)).id);
    expect(await result(people.north)).toMatchObject({ rowCount: 2 });

    const roles = [];
    for (const region of ["north", "south"] as const) {
      const { id: groupId } = await createGroup(deps, owner, { name: region });
      await changeGroupMembers(deps, owner, { groupId, add: [people[region].userId], remove: [] });
      roles.push({ groupId, role: `${region}_${suffix}` });
    }
    await setGroupRoles(deps, owner, { databaseId, roles });
    // The result from before, which has the rows of both.
    for (const person of [...Object.values(people), owner]) {
      await expect(result(person)).rejects.toEqual(appError("result_expired"));
    }
    for (const region of ["north", "south"] as const) {
      const { id: runId } = await run(people[region]);
      await execute(deps, runId);
      const { whole } = await readResult(deps, people[region], await result(people[region]));
      expect(JSON.parse(gunzipSync(whole ?? "").toString()).rows).toEqual([[region]]);
    }
    for (const person of [people.nobody, owner]) {
      await expect(run(person)).rejects.toEqual(appError("forbidden"));
      await expect(result(person)).rejects.toEqual(appError("result_expired"));
    }
  });

  test("uses groups and attributes as they are when it runs", async ({ deps, make }) => {
    const owner = await make.owner();
    const { userId } = owner;
    const { id } = await make.query(
      owner,
      "SELECT {{user_attribute_region}} AS region WHERE 'Sales' IN ({{user_groups}})",
    );
    const run = () => runQuery(deps, owner, { id, parameterValues: {} });
    await expect(run()).rejects.toEqual(appError("forbidden"));
    await setAttributes(deps, owner, { userId, attributes: { region: "north" } });
    const before = await run();
    expect(before.renderedSql).toContain("'north'");
    const { id: groupId } = await createGroup(deps, owner, { name: "Sales" });
    await changeGroupMembers(deps, owner, { groupId, add: [userId], remove: [] });
    const after = await run();
    expect(after.renderedSql).toContain("IN ('Sales')");
    expect(after.id).not.toBe(before.id);
  });
});
