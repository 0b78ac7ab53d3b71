import { type Caller, SearchText } from "@querybell/domain";
import { describe, expect, test } from "vitest";
import { deleteAutomation } from "./automations/index.ts";
import type { Deps } from "./deps.ts";
import { deleteQuery, updateQuery } from "./queries/index.ts";
import { deleteReference } from "./references/index.ts";
import { prefixQuery, search } from "./search.ts";
import { dbTest } from "./testing/db-test.ts";

test("every word is a prefix, and all are required", () => {
  expect(prefixQuery("  revenue  by mon")).toBe("'revenue':* & 'by':* & 'mon':*");
});

test("punctuation separates words, operators included", () => {
  expect(prefixQuery(`orders.total | 'a' & !("b" <-> c):*\\`)).toBe(
    "'orders':* & 'total':* & 'a':* & 'b':* & 'c':*",
  );
});

test("other scripts are words", () => {
  expect(prefixQuery("Umsätze доход 売上")).toBe("'Umsätze':* & 'доход':* & '売上':*");
});

test.for(["", "   ", "!&|()", "\0"])("%j has no words", (text) => {
  expect(prefixQuery(text)).toBeUndefined();
});

test("what is too long is cut, never in the middle of a character", () => {
  expect(prefixQuery("a ".repeat(1000))?.split(" & ")).toHaveLength(10);
  expect(prefixQuery(`${"x".repeat(199)}😀`)?.isWellFormed()).toBe(true);
});

describe("search", () => {
  dbTest(
    "finds queries, references and automations by beginnings of words, titles first",
    async ({ deps, make }) => {
      const owner = await make.owner();
      const query = await make.query(owner, "SELECT zebra_stripes.revenue_total FROM zebra_stripes");
      const reference = await make.reference(owner, "SELECT 1 AS zebrafish", { title: "Zebra revenue" });
      const { id: referencedId } = reference.currentQuery ?? { id: "" };
      const automation = await make.automation(owner, { name: "Watch", instruction: "Count the zebras." });

      const find = async (text: string) =>
        (await search(deps, owner, SearchText.parse({ text }))).items.map(({ kind, id }) => `${kind} ${id}`);
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
      await updateQuery(deps, owner, { id: query.id, name: "Stripes of zebras" });
      expect((await find("zebras str"))[0]).toBe(`query ${query.id}`);
      const [hit] = (await search(deps, owner, { text: "zebra rev", limit: 1 })).items;
      expect(hit).toMatchObject({ kind: "reference", shortId: reference.shortId, title: "Zebra revenue" });
      for (const [kind, ids] of [
        ["query", [query.id, referencedId]],
        ["reference", [reference.id]],
        ["automation", [automation.id]],
      ] as const) {
        const { items } = await search(deps, owner, SearchText.parse({ text: "zeb", kind }));
        expect(items.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
      }
    },
  );

  dbTest("finds nothing that is deleted or another organization's", async ({ deps, make }) => {
    const [owner, stranger] = [await make.owner(), await make.owner()];
    const reference = await make.reference(owner, "SELECT 'walrus'", { title: "Walrus" });
    const automation = await make.automation(owner, {
      name: "Walrus",
      references: [{ shortId: reference.shortId }],
    });
    const walrus = SearchText.parse({ text: "walrus" });
    const count = async () => (await search(deps, owner, walrus)).items.length;
    expect(await count()).toBe(3);
    expect(await search(deps, stranger, walrus)).toEqual({ items: [] });
    await deleteAutomation(deps, owner, { id: automation.id });
    await deleteReference(deps, owner, { shortId: reference.shortId });
    expect(await count()).toBe(1);
    await deleteQuery(deps, owner, { id: reference.currentQuery?.id ?? "" });
    expect(await count()).toBe(0);
  });

  dbTest("accepts any text", async ({ deps, make }) => {
    const owner = await make.owner();
    await make.reference(owner, "SELECT 1", { title: "It's 100% <b>'quoted'</b> & \\escaped:*" });
    const texts = [
      ...["", "  ", "'", "''", "\\", ":*", "a:*", "!", "&", "|", "a & | b", "((((", "<->", "<2>", "a <-> "],
      ..."'); DROP TABLE queries; --|%_%|日本語|😀|\u0001\u007f|\u202e|\u00a0".split("|"),
      ...["x".repeat(3000), "a ".repeat(1500), "😀".repeat(500)],
    ];
    for (const text of texts) await search(deps, owner, SearchText.parse({ text }));
    const { items } = await search(deps, owner, SearchText.parse({ text: "it's 100% 'quoted'" }));
    expect(items).toHaveLength(1);
  });

  dbTest("a very long text can be saved, and is found by its beginning", async ({ deps, make }) => {
    const owner = await make.owner();
    const words = Array.from({ length: 60_000 }, (_, at) => `w${at.toString(36)}`).join(" ");
    await make.query(owner, `SELECT 1 -- ${words.slice(0, 490_000)}`);
    await make.query(owner, `SELECT '${"x".repeat(490_000)}' AS long`);
    expect((await search(deps, owner, SearchText.parse({ text: "w1a2 " }))).items).toHaveLength(1);
  });

  dbTest("reads the indexes, one statement for all kinds", async ({ deps, make }) => {
    const owner = await make.owner();
    await fill(deps, owner);
    const { items } = await search(deps, owner, SearchText.parse({ text: "needle10077" }));
    expect(items).toMatchObject([{ kind: "automation", title: "needle10077 hay" }]);
    const { rows } = await deps.db.pool.query<{ "QUERY PLAN": string }>(
      `EXPLAIN SELECT id FROM automations WHERE organization_id = $1 AND deleted_at IS NULL
         AND querybell_search_words(name || ' ' || instruction) @@ to_tsquery('simple', '''needle10077'':*')`,
      [owner.organizationId],
    );
    expect(rows.map((row) => row["QUERY PLAN"]).join("\n")).toContain("automations_search_idx");
  });
});

/** Inserts automations with a unique word each, directly, because the use case would take minutes. */
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
