import { describe, expect } from "vitest";
import { appError } from "../testing/app-error.ts";
import { auditDuring } from "../testing/audit-during.ts";
import { dbTest } from "../testing/db-test.ts";
import { deleteDatabase, listDescriptions, saveDescription } from "./index.ts";
import { readTablesForModels, toPlainTable } from "./tables-for-models.ts";

const place = { schema: "main", table: "fruits" };

describe("the description of a table", () => {
  dbTest(
    "is written, replaced and removed by any member, with an audit entry for each",
    async ({ deps, make }) => {
      const owner = await make.owner();
      const member = await make.member(owner.organizationId);
      const { id } = await make.database(owner);
      const save = (description: string, column: string | null = null) =>
        saveDescription(deps, member, { id, ...place, column, description });
      const audited = await auditDuring(deps, owner.organizationId, async () => {
        await save("What we sell");
        await save("What we sell");
        await save("In kilograms", "weight");
        await save("What we sold");
        await save("", "weight");
        await save("", "name");
      });
      const entry = (column: string | null, removed: boolean) => ({
        actorUserId: member.userId,
        action: "database.described",
        targetId: id,
        detail: { ...place, column, removed },
      });
      expect(audited).toEqual([
        entry(null, false),
        entry("weight", false),
        entry(null, false),
        entry("weight", true),
      ]);
      expect(await listDescriptions(deps, owner, { id })).toEqual([
        {
          ...place,
          column: null,
          description: "What we sold",
          updatedBy: member.userId,
          updatedAt: deps.clock.now().toISOString(),
        },
      ]);
    },
  );

  dbTest("has one text, though two people write at once", async ({ deps, make }) => {
    const owner = await make.owner();
    const { id } = await make.database(owner);
    const texts = ["One", "Two", "Three", "Four"];
    await Promise.all(
      texts.map((description) => saveDescription(deps, owner, { id, ...place, column: null, description })),
    );
    const saved = await listDescriptions(deps, owner, { id });
    expect(saved).toHaveLength(1);
    expect(texts).toContain(saved[0]?.description);
  });

  dbTest("is one of 5,000 at most", async ({ deps, make }) => {
    const owner = await make.owner();
    const { id } = await make.database(owner);
    await deps.db.pool.query(
      `INSERT INTO table_descriptions (database_id, organization_id, schema_name, table_name, column_name, description, updated_at)
       SELECT $1, $2, 'main', 'wide', 'c' || n, 'x', now() FROM generate_series(1, 5000) n`,
      [id, owner.organizationId],
    );
    const save = (column: string) =>
      saveDescription(deps, owner, { id, schema: "main", table: "wide", column, description: "new" });
    await expect(save("another")).rejects.toEqual(appError("conflict", /5000/));
    await save("c1");
  });

  dbTest("goes with its database, and is nobody else's", async ({ deps, make }) => {
    const owner = await make.owner();
    const stranger = await make.owner();
    const { id } = await make.database(owner);
    const description = { id, ...place, column: null, description: "Ours" };
    await saveDescription(deps, owner, description);
    await expect(listDescriptions(deps, stranger, { id })).rejects.toEqual(appError("not_found"));
    await expect(saveDescription(deps, stranger, description)).rejects.toEqual(appError("not_found"));
    await deleteDatabase(deps, owner, { id });
    await expect(saveDescription(deps, owner, description)).rejects.toEqual(appError("database_deleted"));
    expect(await deps.db.prisma.tableDescription.count({ where: { databaseId: id } })).toBe(0);
  });

  dbTest("is what models read, without invisible characters", async ({ deps, make }) => {
    const owner = await make.owner();
    const { id } = await make.database(owner);
    await saveDescription(deps, owner, { id, ...place, column: null, description: "What\u200b we sell" });
    await saveDescription(deps, owner, { id, ...place, column: "weight", description: "In kilograms" });
    const [table] = await readTablesForModels(deps, owner, { id });
    expect(table && toPlainTable(table)).toEqual({
      ...{ schema: "main", name: "fruits", about: "What  we sell" },
      columns: ["name VARCHAR", "weight INTEGER (In kilograms)"],
    });
  });
});
