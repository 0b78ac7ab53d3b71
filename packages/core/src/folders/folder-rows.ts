import type { Tx } from "@querybell/db";
import { AppError, type Caller } from "@querybell/domain";
import { lockRow } from "../lock-row.ts";

type Scope = Pick<Caller, "organizationId">;

export const folderNotFound = () =>
  new AppError("not_found", "There is no such folder in this organization. It may have been deleted.");

/** Gets the folder and locks it until the transaction ends. With `KEY SHARE`, only its deletion waits. */
export async function lockFolder(
  tx: Tx,
  { organizationId }: Scope,
  id: string,
  strength: "KEY SHARE" | "UPDATE",
) {
  await lockRow(tx, { table: "folders", key: { id }, organizationId, strength });
  const row = await tx.folder.findFirst({ where: { id, organizationId } });
  if (!row) throw folderNotFound();
  return row;
}
