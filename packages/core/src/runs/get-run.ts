import type { Prisma } from "@querybell/db";
import { AppError, type Caller, type RunDetail, type RunId } from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { toRunDetail } from "./run-row.ts";

export async function getRun(
  deps: Pick<Deps, "db">,
  caller: Pick<Caller, "organizationId">,
  { id }: RunId,
): Promise<RunDetail> {
  return toRunDetail(await getRunRow(deps, caller, id));
}

export async function getRunRow(
  { db }: Pick<Deps, "db">,
  { organizationId }: Pick<Caller, "organizationId">,
  id: string,
): Promise<Prisma.QueryRunModel> {
  const row = await db.prisma.queryRun.findFirst({ where: { id, organizationId } });
  if (!row) throw new AppError("not_found", "There is no such run in this organization.");
  return row;
}
