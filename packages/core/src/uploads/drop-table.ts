import type { Caller, DropTable } from "@querybell/domain";
import type { WaitOptions } from "@querybell/engine-hosts";
import { recordAudit } from "../audit/record-audit.ts";
import type { Deps } from "../deps.ts";
import { changeStore } from "./change-store.ts";
import { requireUploads } from "./require-uploads.ts";
import { getTable, nameIs } from "./table-row.ts";

/** Drops a table. Runs in progress still read it; later ones fail. */
export async function dropTable(
  deps: Deps,
  caller: Caller,
  { table, signal }: DropTable & WaitOptions,
): Promise<void> {
  await requireUploads(deps, caller);
  const { name } = await getTable(deps, caller, table);
  await changeStore(deps, caller, {
    change: { kind: "drop", table: name },
    freedBytes: 0,
    signal,
    async record(tx) {
      await tx.uploadedTable.deleteMany({
        where: { organizationId: caller.organizationId, ...nameIs(name) },
      });
      await recordAudit({ ...deps, tx }, caller, {
        action: "uploaded_table.dropped",
        targetId: name,
        detail: { table: name },
      });
    },
  });
}
