import { type Caller, ChangedRowsCounts, ChangedRowsPart, CreateWebhookEndpoint } from "@querybell/domain";
import { describe, expect } from "vitest";
import { z } from "zod";
import { setRowPolicies } from "../../access/row-policies.ts";
import { conditionTest, type Rule } from "../../testing/condition-test.ts";
import { createEndpoint } from "../../webhooks/index.ts";
import { updateAutomation } from "../index.ts";

const RowsData = ChangedRowsPart.extend(ChangedRowsCounts.shape).extend({
  runId: z.string(),
  chart: z.string(),
  part: z.int(),
  parts: z.int(),
});

const test = conditionTest.extend("rowsTold", { scope: "file" }, ({ deps, runs }) => ({
  /** From now on somebody wants changed rows. */
  ask: (owner: Caller) => {
    const settings = { url: "http://127.0.0.1:9/", eventTypes: ["automation.rows.changed"] };
    return createEndpoint(deps, owner, CreateWebhookEndpoint.parse(settings));
  },
  /** The data of the events with changed rows, and how many bytes each sends. */
  read: async ({ organizationId }: Caller) => {
    const where = { organizationId, type: "automation.rows.changed" };
    const rows = await deps.db.prisma.webhookEvent.findMany({ where, orderBy: { id: "asc" } });
    const all = (await runs.events({ organizationId })).filter(({ type }) => type === where.type);
    const events = z.array(z.looseObject({ data: z.looseObject(RowsData.shape) })).parse(all);
    const parts = events.map(({ data }) => data);
    return {
      parts,
      bytes: rows.map(({ body }) => body.length),
      causes: rows.map(({ dedupeKey }) => dedupeKey),
    };
  },
}));

const changedRows = (more: object = {}): Rule => ({
  condition: { kind: "rows_changed", changes: ["entered", "left", "changed"], key: ["id"], ...more },
});

/** Rows with ids from 1 to `count`, and a text of so many letters. */
const manyRows = (count: number, letters: number) =>
  `SELECT id, repeat('x', ${letters}) AS note FROM range(1, ${count + 1}) AS t(id)`;

describe("changed rows", () => {
  test("are told with their keys and with all values exactly, once somebody asks for them", async ({
    watched,
    rowsTold,
  }) => {
    const types = (id: number, digits: string) => `
      SELECT ${id} AS id, ${digits}::HUGEINT AS big, '${digits}.50'::DECIMAL(38,2) AS amount, 0.1::DOUBLE AS share,
        true AS paid, DATE '2026-01-31' AS day, TIME '10:00:00.5' AS at, TIMESTAMPTZ '2026-01-31 10:00:00+00' AS moment,
        '\\x00\\xFF'::BLOB AS bytes, [1, NULL] AS list, {'a': 1} AS struct, 'left' || chr(0) || 'right' AS text, NULL AS nothing`;
    const { owner, run, runWith, condition, events } = await watched(changedRows(), types(2, "2"));
    await run();
    await runWith(`${types(1, "9007199254740993")} UNION ALL ${types(2, "2")}`);
    expect(await events()).toHaveLength(1);
    expect((await rowsTold.read(owner)).parts).toEqual([]);
    await rowsTold.ask(owner);
    const { id: runId } = await runWith(`${types(1, "9007199254740994")} UNION ALL ${types(3, "3")}`);
    const { parts } = await rowsTold.read(owner);
    const exact = (id: number, digits: string) => [
      ...[
        id,
        digits.length > 15 ? digits : Number(digits),
        `${digits}.50`,
        0.1,
        true,
        "2026-01-31",
        "10:00:00.5",
      ],
      ...["2026-01-31T10:00:00Z", "AP8=", [1, null], { a: 1 }, "left\0right", null],
    ];
    expect(parts).toEqual([
      expect.objectContaining({
        ...{ runId, chart: condition.shortId, part: 1, parts: 1 },
        ...{ entered: 1, left: 1, changed: 1, omittedRows: 0, key: ["id"] },
        rows: [
          {
            ...{ change: "changed", key: [1], omittedCells: null },
            ...{ now: exact(1, "9007199254740994"), before: exact(1, "9007199254740993") },
          },
          { change: "entered", key: [3], now: exact(3, "3"), before: null, omittedCells: null },
          { change: "left", key: [2], now: null, before: exact(2, "2"), omittedCells: null },
        ],
      }),
    ]);
    await run();
    expect((await rowsTold.read(owner)).parts).toHaveLength(1);
  });

  test("are found in results that are too large to be kept in memory, and between those and small ones", async ({
    watched,
    rowsTold,
  }) => {
    // Hashes hardly compress.
    const hashes = (count: number) => `SELECT id, sha256(id::VARCHAR) AS note FROM range(${count}) AS t(id)`;
    const { owner, run, runWith } = await watched(changedRows(), hashes(1_000));
    await rowsTold.ask(owner);
    await run();
    for (const count of [1_002, 3, 1_001]) await runWith(hashes(count));
    const { parts } = await rowsTold.read(owner);
    const changes = new Map(
      parts.map(({ runId, entered, left, changed }) => [runId, [entered, left, changed]]),
    );
    expect([...changes.values()]).toEqual([
      [2, 0, 0],
      [0, 999, 0],
      [998, 0, 0],
    ]);
  });

  test("come in parts, each row in one; what is too large for an event is left out, which the event says", async ({
    watched,
    rowsTold,
  }) => {
    const { owner, run, runWith } = await watched(changedRows(), manyRows(1, 1));
    await rowsTold.ask(owner);
    await run();
    const ids: string[] = [];
    const runs = [manyRows(451, 1), manyRows(451, 2_000), manyRows(2, 300_000), manyRows(20_003, 1)];
    for (const sql of runs) ids.push((await runWith(sql)).id);
    const { parts, bytes, causes } = await rowsTold.read(owner);
    const [many = [], large = [], cell = [], tooMany = []] = ids.map((id) =>
      parts.filter((part) => part.runId === id),
    );
    expect(many.map(({ part, parts: all, rows }) => [part, all, rows.length])).toEqual([
      [1, 3, 200],
      [2, 3, 200],
      [3, 3, 50],
    ]);
    expect(large.map(({ part, parts: all }) => [part, all])).toEqual(
      large.map((_, index) => [index + 1, large.length]),
    );
    expect(large.length).toBeGreaterThan(3);
    expect(Math.max(...bytes)).toBeLessThanOrEqual(256 * 1024);
    const told = large.flatMap((part) => part.rows.map(({ key }) => Number(key[0])));
    expect(told.sort((one, other) => one - other)).toEqual(Array.from({ length: 451 }, (_, id) => id + 1));

    const long = "x".repeat(2_000);
    const now = { key: [], now: [1], before: [] };
    expect(cell.flatMap(({ rows }) => rows).slice(0, 2)).toEqual([
      { change: "changed", key: [1], now: [1, null], before: [1, long], omittedCells: now },
      { change: "changed", key: [2], now: [2, null], before: [2, long], omittedCells: now },
    ]);
    expect(tooMany).toMatchObject([
      { part: 1, parts: 1, entered: 20_001, changed: 2, left: 0, omittedRows: 20_003, rows: [] },
    ]);
    expect(causes).toEqual(parts.map(({ runId, part }) => `automation_rows:${runId}:${part}`));
  });

  test("are told once if several parts of a condition see them", async ({ watched, rowsTold }) => {
    const entered = { kind: "rows_changed" as const, changes: ["entered" as const], key: ["id"] };
    const small = { ...entered, where: [{ column: "id", operator: "at_most" as const, value: 2 }] };
    const { owner, run, runWith } = await watched(
      { condition: { kind: "any", conditions: [small, entered] } },
      manyRows(1, 1),
    );
    await rowsTold.ask(owner);
    await run();
    await runWith(manyRows(3, 1));
    const { parts } = await rowsTold.read(owner);
    expect(parts.flatMap(({ rows }) => rows.map(({ key }) => key[0]))).toEqual([2, 3]);
    expect(parts).toMatchObject([{ part: 1, parts: 1, entered: 2 }]);
  });

  test("are none of those that the automation's person may not see any more", async ({
    deps,
    make,
    watched,
    rowsTold,
    runs,
  }) => {
    const seenBy = (email: string, others: number) =>
      `SELECT id FROM range(1, CASE WHEN {{user_email}} = '${email}' THEN 4 ELSE ${others} END) AS t(id)`;
    const { owner, automation, condition, run, runWith, state } = await watched(
      changedRows(),
      "SELECT 1 AS id",
    );
    await rowsTold.ask(owner);
    await runWith(seenBy(owner.email, 2));
    await run();
    expect((await rowsTold.read(owner)).parts).toEqual([]);

    // Somebody who sees less saves the automation.
    const member = await make.member(owner.organizationId);
    const references = [{ shortId: condition.shortId, parameterValues: {} }];
    await updateAutomation(deps, member, { id: automation.id, references });
    // Nor does the summary count or name them.
    expect(await run()).toMatchObject({ summary: '"Fruits": there is 1 row.' });
    expect((await rowsTold.read(owner)).parts).toEqual([]);
    expect(await state()).toMatchObject({ status: "no_data", reason: "There is no earlier result yet." });
    await runWith(seenBy(owner.email, 3));
    const [entered] = (await rowsTold.read(owner)).parts;
    expect(entered).toMatchObject({ entered: 1, left: 0, rows: [{ change: "entered", key: [2] }] });

    // An admin narrows what everybody sees.
    const query = await deps.db.prisma.query.findFirstOrThrow({
      where: { organizationId: owner.organizationId },
    });
    const databaseId = query.analyticalDatabaseConfigId;
    await setRowPolicies(deps, owner, { databaseId, policies: [{ table: "x", placeholder: "user_email" }] });
    await runWith(seenBy(owner.email, 1));
    expect((await rowsTold.read(owner)).parts).toHaveLength(1);
    expect((await runs.events(owner)).filter(({ type }) => type === "automation.condition.met")).toHaveLength(
      1,
    );
  });

  test("are none while it is unknown with whose rights the last result was made", async ({
    deps,
    watched,
    rowsTold,
  }) => {
    const { owner, run, runWith } = await watched(changedRows(), manyRows(2, 1));
    await rowsTold.ask(owner);
    await run();
    await deps.db.prisma.conditionBase.updateMany({
      where: { organizationId: owner.organizationId },
      data: { rightsHash: null },
    });
    await runWith(manyRows(1, 1));
    expect((await rowsTold.read(owner)).parts).toEqual([]);
    await runWith(manyRows(2, 1));
    expect((await rowsTold.read(owner)).parts).toMatchObject([{ entered: 1, left: 0 }]);
  });
});
