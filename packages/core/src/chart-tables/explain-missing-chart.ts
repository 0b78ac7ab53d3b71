import { nilId, onPool } from "@querybell/db";
import { editDistance } from "@querybell/domain";
import { readRights } from "../access/rights-cache.ts";
import type { Deps } from "../deps.ts";
import { findChartNames, maxListed } from "./find-charts.ts";

const maxNearest = 3;
/** Longer names are no mistyped ones. */
const maxNameLength = 100;

interface FailedStatement {
  organizationId: string;
  text: string;
  /** The charts that it could read. */
  found: readonly string[];
  /** What the engine says. */
  message: string;
}

/** The message for a statement that failed because it reads `charts.` with a name that no chart has. */
export async function explainMissingChart(
  deps: Pick<Deps, "db">,
  { organizationId, text, found, message }: FailedStatement,
): Promise<string> {
  const nested = findNestedName(message, text);
  if (nested !== undefined) return nested;
  const missing = findChartNames(text)
    .filter((name) => !found.includes(name) && name.length <= maxNameLength)
    .find((name) => isAbout(message.toLowerCase(), name));
  if (missing === undefined) return message;
  const names = await readOpenNames(deps, organizationId);
  if (names.includes(missing)) {
    return `The chart of charts.${missing} was made after this query was saved. Save the query again, then run it.`;
  }
  const most = Math.max(2, missing.length / 2);
  const nearest = names
    .map((name) => ({ name, distance: distanceOf(missing, name, most) }))
    .filter(({ distance }) => distance <= most)
    .sort((one, other) => one.distance - other.distance)
    .slice(0, maxNearest)
    .map(({ name }) => `charts.${name}`);
  const advice =
    nearest.length > 0
      ? `Did you mean ${nearest.join(" or ")}?`
      : "The tables beside the editor have the names.";
  return `No chart has the name charts.${missing}. ${advice}`;
}

/** The message for a name with a part too many, such as `charts.main.sales`, or too few: `FROM charts`. */
function findNestedName(message: string, text: string): string | undefined {
  if (message.includes('Catalog "charts" does not exist')) {
    const [written = "charts.…", last = "…"] =
      /\bcharts\s*\.\s*(?:"[^"]{1,100}"|\w{1,100})\s*\.\s*("[^"]{1,100}"|\w{1,100})/i.exec(text) ?? [];
    return `${written} has a part too many. The result of a chart is charts. and the name of the chart: charts.${last}.`;
  }
  if (message.includes("Table with name charts does not exist")) {
    return "charts alone is no table. The result of a chart is charts. and the name of the chart; the tables beside the editor have the names.";
  }
  return undefined;
}

/** The message for a statement that failed in a database that has no results of charts as tables. */
export const explainOtherDatabase = ({ text, message }: Pick<FailedStatement, "text" | "message">): string =>
  /(?:schema|relation|table)[^\n]{0,40}\bcharts\b[^\n]{0,200}does not exist/i.test(message) &&
  findChartNames(text).length > 0
    ? `${message} Results of charts are tables in queries on uploaded files only: choose the database Uploads.`
    : message;

/** Without any chart there is no schema, otherwise no table in it. */
const isAbout = (message: string, name: string): boolean =>
  message.includes('schema "charts" does not exist') || message.includes(`name ${name} does not exist`);

/** A part of a name is near, too: `charts.revenue` to `revenue_by_month`. */
const distanceOf = (missing: string, name: string, most: number): number =>
  name.includes(missing) || missing.includes(name) ? 1 : editDistance(missing, name, most);

/**
 * The names of charts, the first 500. Whoever sees the query reads the message, so it has names only where everybody sees
 * all charts.
 */
async function readOpenNames({ db }: Pick<Deps, "db">, organizationId: string): Promise<string[]> {
  const isNarrowed = (await readRights(onPool(db), { organizationId, userId: nilId })) !== undefined;
  if (isNarrowed) return [];
  const named = await db.prisma.chartName.findMany({
    where: { organizationId, reference: { deletedAt: null, query: { deletedAt: null } } },
    select: { name: true },
    orderBy: { name: "asc" },
    take: maxListed,
  });
  return named.map(({ name }) => name);
}
