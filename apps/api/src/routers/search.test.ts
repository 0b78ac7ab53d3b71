import type { Deps } from "@querybell/core";
import type { Caller } from "@querybell/domain";
import { describe, expect } from "vitest";
import { apiError } from "../testing/api-error.ts";
import { apiTest } from "../testing/api-test.ts";

describe("search", () => {
  apiTest(
    "finds queries, references and automations by beginnings of words, titles first",
    async ({ api, make }) => {
      const owner = await make.owner();
      const client = await api.signedIn(owner);
      const query = await make.query(owner, "SELECT zebra_stripes.revenue_total FROM zebra_stripes");
      const reference = await make.reference(owner, "SELECT 1 AS zebrafish", { title: "Zebra revenue" });
      const { id: referencedId } = reference.currentQuery ?? { id: "" };
      const automation = await make.automation(owner, { name: "Watch", instruction: "Count the zebras." });

      const find = async (text: string) =>
        (await client.search.find.query({ text })).items.map(({ kind, id }) => `${kind} ${id}`);
      const all = await find("zeb");
      expect(all[0]).toBe(`reference ${reference.id}`);
      expect(all.toSorted()).toEqual(
        [
          `reference ${reference.id}`,
          `automation ${automation.id}`,
          `query ${query.id}`,
          `query ${referencedId}`,
        ].toSorted(),
      );
      // Parts of names that Postgres would read as a host, and several words in any order and case.
      expect((await find("TOTAL zebra")).toSorted()).toEqual([`query ${query.id}`]);
      expect(await find("ount")).toEqual([]);
      await client.queries.update.mutate({ id: query.id, name: "Stripes of zebras" });
      expect((await find("zebras str"))[0]).toBe(`query ${query.id}`);
      const [hit] = (await client.search.find.query({ text: "zebra rev", limit: 1 })).items;
      expect(hit).toMatchObject({ kind: "reference", shortId: reference.shortId, title: "Zebra revenue" });
      for (const [kind, ids] of [
        ["query", [query.id, referencedId]],
        ["reference", [reference.id]],
        ["automation", [automation.id]],
      ] as const) {
        const { items } = await client.search.find.query({ text: "zeb", kind });
        expect(items.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
      }
    },
  );

  apiTest("finds nothing that is deleted or another organization's", async ({ api, make }) => {
    const [owner, stranger] = [await make.owner(), await make.owner()];
    const client = await api.signedIn(owner);
    const reference = await make.reference(owner, "SELECT 'walrus'", { title: "Walrus" });
    const automation = await make.automation(owner, {
      name: "Walrus",
      references: [{ shortId: reference.shortId }],
    });
    const count = async () => (await client.search.find.query({ text: "walrus" })).items.length;
    expect(await count()).toBe(3);
    const strangers = await api.signedIn(stranger);
    expect(await strangers.search.find.query({ text: "walrus" })).toEqual({ items: [] });
    await client.automations.delete.mutate({ id: automation.id });
    await client.references.delete.mutate({ shortId: reference.shortId });
    expect(await count()).toBe(1);
    await client.queries.delete.mutate({ id: reference.currentQuery?.id ?? "" });
    expect(await count()).toBe(0);
  });

  apiTest("accepts any text", async ({ api, make }) => {
    const owner = await make.owner();
    const client = await api.signedIn(owner);
    await make.reference(owner, "SELECT 1", { title: "It's 100% <b>'quoted'</b> & \\escaped:*" });
    const texts = [
      ...["", "  ", "'", "''", "\\", ":*", "a:*", "!", "&", "|", "a & | b", "((((", "<->", "<2>", "a <-> "],
      ..."'); DROP TABLE queries; --|%_%|日本語|😀|\u0001\u007f|\u202e|\u00a0".split("|"),
      ...["x".repeat(3000), "a ".repeat(1500), "😀".repeat(500)],
    ];
    for (const text of texts) await client.search.find.query({ text });
    expect((await client.search.find.query({ text: "it's 100% 'quoted'" })).items).toHaveLength(1);
    await expect(client.search.find.query({ text: "a\0b" })).rejects.toEqual(apiError("invalid_request"));
  });

  apiTest("a very long text can be saved, and is found by its beginning", async ({ api, make }) => {
    const owner = await make.owner();
    const client = await api.signedIn(owner);
    const words = Array.from({ length: 60_000 }, (_, at) => `w${at.toString(36)}`).join(" ");
    await make.query(owner, `SELECT 1 -- ${words.slice(0, 490_000)}`);
    await make.query(owner, `SELECT '${"x".repeat(490_000)}' AS long`);
    expect((await client.search.find.query({ text: "w1a2 " })).items).toHaveLength(1);
  });

  apiTest("is for people, not for keys", async ({ api, make, makeKey }) => {
    const { key } = await makeKey(await make.owner());
    await expect(api.withKey(key).search.find.query({ text: "a" })).rejects.toEqual(apiError("forbidden"));
  });

  apiTest("reads the indexes, one statement for all kinds", async ({ api, deps, make }) => {
    const owner = await make.owner();
    await fill(deps, owner);
    const client = await api.signedIn(owner);
    const { items } = await client.search.find.query({ text: "needle10077" });
    expect(items).toMatchObject([{ kind: "automation", title: "needle10077 hay" }]);
    const { rows } = await deps.db.pool.query<{ "QUERY PLAN": string }>(
      `EXPLAIN SELECT id FROM automations WHERE organization_id = $1 AND deleted_at IS NULL
         AND querybell_search_words(name || ' ' || instruction) @@ to_tsquery('simple', '''needle10077'':*')`,
      [owner.organizationId],
    );
    expect(rows.map((row) => row["QUERY PLAN"]).join("\n")).toContain("automations_search_idx");
  });
});

/** Inserts automations with a unique word each, directly, because the API would take minutes. */
async function fill({ db }: Deps, { organizationId, userId }: Caller): Promise<void> {
  await db.pool.query(
    `INSERT INTO automations (id, organization_id, name, instruction, agent, enabled, when_busy, time_limit_seconds,
       created_by, created_at, updated_at)
     SELECT gen_random_uuid(), $1, 'needle' || n || ' hay', 'hay', 'digest', false, 'queue', 900, $2, now(), now()
     FROM generate_series(10000, 13000) n`,
    [organizationId, userId],
  );
  await db.pool.query("ANALYZE automations");
}
