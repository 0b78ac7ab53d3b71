import { createDatabase, deleteDatabase, testDatabase } from "@querybell/core/databases";
import { removeModel, updateModel } from "@querybell/core/models";
import { CreateDatabase, type DatabaseConnection, newId } from "@querybell/domain";
import { startModelServer, type Turn } from "@querybell/models/testing";
import type { ProvocationContext } from "./provoke.ts";

/** Errors because of a language model. */
export async function provokeModels(context: ProvocationContext): Promise<void> {
  const { provoke } = context;
  const chosen = { connection: null, monthlyTokens: 1000, consent: true };
  await provoke("models.update", "conflict", chosen);
  await provoke("models.test", "conflict", { connection: null });
  await using server = await startModelServer(() => ({ kind: "status", status: 401 }));
  await provoke("models.test", "model_refused", { connection: { url: server.url, name: "m" } });
  await using broken = await startModelServer(() => ({ kind: "status", status: 500 }));
  await provoke("models.test", "model_unreachable", { connection: { url: broken.url, name: "m" } });
  await provokeHelp(context);
}

/** Errors of help with SQL. */
async function provokeHelp({ deps, make, owner, provoke }: ProvocationContext): Promise<void> {
  const { organizationId, userId } = owner;
  const real = await make.connection(owner, "postgres");
  const save = (connection: DatabaseConnection) =>
    createDatabase(deps, owner, CreateDatabase.parse({ name: "A database", connection }));
  const found = await save(real);
  await testDatabase(deps, owner, found);
  const deleted = await save(real);
  await deleteDatabase(deps, owner, deleted);
  const question = (databaseId: string) => ({
    kind: "write",
    analyticalDatabaseConfigId: databaseId,
    question: "How many?",
  });
  /** A question that was asked before something has changed. */
  const provokeAnswer = async (code: Parameters<typeof provoke>[1], databaseId = found.id) => {
    const id = newId(deps.clock);
    await deps.db.prisma.sqlHelpRequest.create({
      data: { id, organizationId, userId, request: question(databaseId), createdAt: deps.clock.now() },
    });
    await provoke("sqlHelp.answer", code, { id });
  };
  await provoke("sqlHelp.ask", "database_deleted", question(deleted.id));
  await provoke("sqlHelp.ask", "model_missing", question(found.id));
  await provokeAnswer("model_missing");

  let turn: Turn = { kind: "status", status: 401 };
  await using server = await startModelServer(() => turn);
  const use = (monthlyTokens: number) =>
    updateModel(deps, owner, {
      connection: { url: server.url, name: "m" },
      monthlyTokens,
      consent: true,
    });
  await use(1_000);
  await provokeAnswer("budget_used");
  await use(10_000_000);
  await provokeAnswer("model_refused");
  // A time that is too long to wait for, so nothing is tried again.
  turn = { kind: "status", status: 503, headers: { "retry-after": "3600" } };
  await provokeAnswer("model_unreachable");
  await provokeAnswer("database_deleted", deleted.id);
  const missing = await save({ engine: "duckdb", settings: { file: "missing.duckdb" } });
  await provokeAnswer("database_unreachable", missing.id);
  if (real.engine !== "postgres") throw new Error("This needs a Postgres.");
  const refused = await save({ ...real, credentials: { password: "wrong" } });
  await provokeAnswer("database_credentials_refused", refused.id);
  await removeModel(deps, owner);
}
