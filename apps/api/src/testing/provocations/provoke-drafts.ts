import { deleteDatabase } from "@querybell/core/databases";
import { createDraft } from "@querybell/core/drafts";
import { updateQuery } from "@querybell/core/queries";
import { createReference } from "@querybell/core/references";
import { type Draft, maxDrafts } from "@querybell/domain";
import type { ProvocationContext } from "./provoke.ts";
import { refusedStatements } from "./provoke-statements.ts";

const keyOf = ({ id, revision }: Draft) => ({ id, revision });

/** Errors of drafts. The drafts of one person are limited, so this is called once. */
export async function provokeDrafts({ deps, make, owner, provoke }: ProvocationContext): Promise<void> {
  const query = await make.query(owner, "SELECT 1");
  const { analyticalDatabaseConfigId } = query;
  const deleted = await make.query(owner, "SELECT 1");
  const elsewhere = { analyticalDatabaseConfigId: deleted.analyticalDatabaseConfigId };
  const orphaned = await createDraft(deps, owner, { sql: "SELECT 1", ...elsewhere });
  await deleteDatabase(deps, owner, { id: deleted.analyticalDatabaseConfigId });
  const draftOf = (sql: string) => createDraft(deps, owner, { sql, analyticalDatabaseConfigId });

  for (const [code, sql] of refusedStatements) {
    const draft = keyOf(await draftOf(sql));
    await provoke("drafts.run", code, draft);
    await provoke("drafts.save", code, { ...draft, name: "A" });
  }
  const valued = keyOf(await draftOf("SELECT {{a}}"));
  await provoke("drafts.run", "missing_parameter_values", valued);
  await provoke("drafts.run", "invalid_parameter_value", { ...valued, parameterValues: { a: 1, b: 2 } });
  await provoke("drafts.update", "draft_changed", { ...valued, revision: 7, sql: "SELECT 2" });
  await provoke("drafts.run", "draft_changed", { ...valued, revision: 7 });
  await provoke("drafts.save", "draft_changed", { ...valued, revision: 7, name: "A" });

  await provoke("drafts.create", "database_deleted", { sql: "SELECT 1", ...elsewhere });
  await provoke("drafts.update", "database_deleted", { ...valued, ...elsewhere });
  await provoke("drafts.run", "database_deleted", keyOf(orphaned));
  await provoke("drafts.save", "database_deleted", { ...keyOf(orphaned), name: "A" });

  const change = { sql: "SELECT 2", analyticalDatabaseConfigId, queryId: query.id };
  const changed = await createDraft(deps, owner, change);
  await provoke("drafts.create", "draft_changed", { ...change, sql: "SELECT 3" });
  await updateQuery(deps, owner, { id: query.id, sql: "SELECT 4" });
  await provoke("drafts.save", "query_changed", keyOf(changed));

  const n = { name: "n", displayName: "n", type: "string" as const, description: "", defaultValue: "x" };
  const withNumber = (defaultValue: string) => ({
    base: null,
    definitions: [{ ...n, type: "integer" as const, defaultValue }],
    choices: {},
    ranges: [],
  });
  const { id: chartedId } = await make.query(owner, "SELECT {{n}}");
  await createReference(deps, owner, { queryId: chartedId, parameters: [n] });
  const charted = { sql: "SELECT {{n}}", analyticalDatabaseConfigId, queryId: chartedId };
  await provoke("drafts.create", "invalid_parameter_value", { ...charted, parameters: withNumber("x") });
  const retyped = await createDraft(deps, owner, { ...charted, parameters: withNumber("1") });
  const unfit = { ...keyOf(retyped), parameters: withNumber("x") };
  await provoke("drafts.update", "invalid_parameter_value", unfit);
  await provoke("drafts.save", "conflict", keyOf(retyped));

  const count = await deps.db.prisma.queryDraft.count({ where: { userId: owner.userId, deletedAt: null } });
  for (let made = count; made < maxDrafts; made++) await draftOf("SELECT 1");
  await provoke("drafts.create", "conflict", { sql: "SELECT 1", analyticalDatabaseConfigId });
}
