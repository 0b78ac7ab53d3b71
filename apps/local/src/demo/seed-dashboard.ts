import type { Deps } from "@querybell/core";
import { insertDashboard } from "@querybell/core/dashboards";
import type { Tx } from "@querybell/db";
import { noFilters } from "@querybell/domain";
import type { DemoOwner } from "./demo-key.ts";

const about =
  "# The shop at a glance\n\nWhat customers ordered, and what it brought in. The charts are those of [the sample shop](/charts).";

/** The tiles, by the titles of their charts. */
const places = {
  "Average order": { x: 0, y: 2, w: 3, h: 4 },
  "Orders of the last seven days": { x: 3, y: 2, w: 9, h: 7 },
  "Customers by region": { x: 0, y: 6, w: 3, h: 8 },
  "Revenue by month": { x: 3, y: 9, w: 9, h: 7 },
  "Best sellers by country": { x: 0, y: 16, w: 6, h: 8 },
  "Revenue by category": { x: 6, y: 16, w: 6, h: 8 },
};

/** Creates a dashboard of the sample shop, once. If a user deletes it, it is not created again. */
export async function seedDashboard(deps: { tx: Tx } & Deps, owner: DemoOwner): Promise<void> {
  const { tx } = deps;
  const { organizationId } = owner;
  if ((await tx.dashboard.count({ where: { organizationId } })) > 0) return;
  const titles = Object.keys(places);
  const references = await tx.queryReference.findMany({
    where: { organizationId, deletedAt: null, title: { in: titles } },
    orderBy: { createdAt: "asc" },
  });
  const byTitle = new Map(references.map(({ title, id }) => [title, id]));
  const tiles = Object.entries(places).flatMap(([title, place], at) => {
    const referenceId = byTitle.get(title);
    if (referenceId === undefined) return [];
    return [{ id: `chart-${at}`, kind: "chart" as const, referenceId, shows: "chart" as const, ...place }];
  });
  if (tiles.length === 0) return;
  const text = { id: "about", kind: "text" as const, text: about, x: 0, y: 0, w: 12, h: 2 };
  await insertDashboard(deps, owner, {
    title: "The shop",
    description: "Orders, customers and revenue of the sample shop.",
    folderId: null,
    content: { tabs: [{ id: "overview", title: "Overview", tiles: [text, ...tiles] }], filters: noFilters() },
  });
}
