import { AppError, AskForHelp, type Caller, type HelpRequestId, newId } from "@querybell/domain";
import { getDatabaseRow } from "../databases/get-database.ts";
import type { Deps } from "../deps.ts";
import { findModel } from "../models/find-model.ts";

/** Clients read the answer at once. */
const unreadMs = 60_000;

/** Who asks. The model is told nothing about them. */
type Asker = Pick<Caller, "organizationId" | "userId">;

/** Stores a question for the organization's model. Whoever reads the answer first makes the request to the model. */
export async function askForHelp(deps: Deps, caller: Caller, request: AskForHelp): Promise<HelpRequestId> {
  const { organizationId, userId } = caller;
  await getDatabaseRow(deps.db.prisma, caller, request.analyticalDatabaseConfigId);
  const model = await findModel(deps, caller);
  if (model.kind === "missing") throw new AppError("model_missing", model.reason);
  const id = newId(deps.clock);
  const createdAt = deps.clock.now();
  await deps.db.transaction(async (tx) => {
    // Somebody who asks and never reads keeps no more than a minute's questions.
    const before = new Date(createdAt.getTime() - unreadMs);
    await tx.sqlHelpRequest.deleteMany({ where: { organizationId, userId, createdAt: { lt: before } } });
    await tx.sqlHelpRequest.create({ data: { id, organizationId, userId, request, createdAt } });
  });
  return { id };
}

/**
 * Takes a question to answer it. It is deleted first: a client that connects again, or a second tab, does not make the
 * organization pay for a second answer.
 */
export async function takeHelpRequest(
  { db }: Pick<Deps, "db">,
  { organizationId, userId }: Asker,
  { id }: HelpRequestId,
): Promise<AskForHelp> {
  const [taken] = await db.prisma.$queryRaw<{ request: unknown }[]>`
    DELETE FROM sql_help_requests
    WHERE id = ${id}::uuid AND organization_id = ${organizationId}::uuid AND user_id = ${userId}::uuid
    RETURNING request`;
  if (!taken) {
    throw new AppError("not_found", "This question was answered, or its answer was interrupted. Ask again.");
  }
  return AskForHelp.parse(taken.request);
}

/** Questions of people who ask no more are deleted after this time. */
const waitsMs = 60 * 60 * 1000;

/** Deletes questions that nobody has read the answer of. */
export async function purgeHelpRequests({ db, clock }: Pick<Deps, "db" | "clock">): Promise<number> {
  const before = new Date(clock.now().getTime() - waitsMs);
  const { count } = await db.prisma.sqlHelpRequest.deleteMany({ where: { createdAt: { lt: before } } });
  return count;
}
