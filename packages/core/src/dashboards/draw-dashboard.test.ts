import { withRights } from "@querybell/db";
import { expect } from "vitest";
import { setFolderAccess } from "../access/index.ts";
import { createFolder } from "../folders/index.ts";
import { moveItems } from "../library/index.ts";
import { dbTest } from "../testing/db-test.ts";
import { drawDashboard, refreshDashboard } from "./index.ts";
import { executeRefresh, makeDashboard } from "./testing/make-dashboard.ts";

const look = { scheme: "light", locale: "en", timeZone: "UTC", filterValues: {} } as const;

dbTest(
  "a dashboard is drawn from stored results, without what the reader may not see",
  async ({ deps, make }) => {
    const owner = await make.owner();
    const member = await make.member(owner.organizationId);
    const { id: analyticalDatabaseConfigId } = await make.database(owner);
    const statements = ["SELECT 1 AS n", "SELECT 2 AS n"];
    const { id, charts } = await makeDashboard(deps, owner, { analyticalDatabaseConfigId, statements });
    const count = () => deps.db.prisma.queryRun.count();
    const before = await count();
    const unrefreshed = await drawDashboard(deps, owner, { id, ...look });
    expect(unrefreshed).toMatchObject({ title: "Sums", results: [] });
    expect(await count(), "it runs nothing").toBe(before);

    await executeRefresh(deps, (await refreshDashboard(deps, owner, { id })).id);
    const whole = await drawDashboard(deps, owner, { id, ...look });
    expect(whole.results).toHaveLength(2);
    const bytes = Buffer.from(whole.bytes);
    // The size in the header of the file: two pixels for each of the page.
    expect([bytes.subarray(1, 4).toString(), bytes.readUInt32BE(16)]).toEqual(["PNG", 2 * 1248]);

    const { id: folderId } = await createFolder(deps, owner, { name: "Secret", parentId: null });
    await setFolderAccess(deps, owner, { folderId, grants: [] });
    await moveItems(deps, owner, { items: [{ kind: "reference", id: charts[0]?.id ?? "" }], folderId });
    const seen = await withRights(await deps.rights.of(member), () =>
      drawDashboard(deps, member, { id, ...look }),
    );
    expect(seen.results.map(({ queryId }) => queryId)).toEqual([charts[1]?.queryId]);
  },
);
