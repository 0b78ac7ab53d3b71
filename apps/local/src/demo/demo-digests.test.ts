import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  compileStatement,
  createEngineHosts,
  dialectOf,
  parseStatement,
  type Report,
  resolveValues,
  type StoredResult,
  writeDigest,
} from "@querybell/engines";
import { createSampleShop } from "@querybell/engines/sample-shop";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { demoQueries } from "./demo-queries.ts";

let folder: string;
let hosts: ReturnType<typeof createEngineHosts>;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "querybell-demo-digests-"));
  await createSampleShop(join(folder, "shop.duckdb"), "2026-11-16");
  hosts = createEngineHosts({
    size: 1,
    dataFolder: folder,
    resolveHost: async () => ({
      kind: "failed",
      failure: { code: "database_unreachable", message: "The sample shop is a file." },
    }),
  });
});
afterAll(async () => {
  await hosts.close();
  await rm(folder, { recursive: true, force: true });
});

const organizationId = "the demo";

/** Runs a demo query as of a morning. */
async function resultOf({ sql, parameters = [] }: (typeof demoQueries)[number], today: string) {
  const statement = parseStatement(sql, dialectOf("duckdb"));
  const clock = { now: () => new Date(`${today}T09:00:00Z`) };
  const { parameters: values } = resolveValues(statement, { definitions: parameters, given: {}, clock });
  const outcome = await hosts.run({
    organizationId,
    database: { engine: "duckdb", configuration: { file: "shop.duckdb" } },
    statement: compileStatement(statement, values),
  });
  if (outcome.kind === "failed") throw new Error(outcome.failure.message);
  return {
    cut: outcome.cutBy !== null,
    async *read() {
      yield* outcome.gzippedPieces;
    },
  } satisfies StoredResult;
}

async function report(title: string, ...results: StoredResult[]): Promise<Report> {
  const operation = { name: "describe" as const, title, today: "2026-11-16", shownColumns };
  const outcome = await hosts.compute({ organizationId, operation, results });
  if (outcome.kind !== "computed") throw new Error(outcome.failure.message);
  return outcome.answer.report;
}

describe("the digest of a demo query reads well by itself", () => {
  test.each([
    [
      "Revenue by month",
      "Revenue was 2.36 M in October, 5.4% above September. Web was 1.21 M (up 6%), app 781,190 (up 6.3%) and " +
        "store 372,943 (up 2%). October had the highest revenue of 12 months.",
    ],
    [
      "Orders of the last seven days",
      '"Orders of the last seven days": web was 197 on 15 November, 5.7% below 14 November. ' +
        "App was 139 (up 11%) and store 66 (down 1.5%).",
    ],
    [
      "Best sellers by country",
      '"Best sellers by country": "Sturdy Lamp 1" has the highest revenue, 417,408, ahead of "Bright Knife 2" ' +
        '(376,526) and "Bright Pan 28" (293,813).',
    ],
    ["Find customers", '"Find customers": there are 100 rows.'],
    [
      "Revenue by category",
      '"Revenue by category": kitchen was 641,285 in October, 4.1% above September and 34% above October 2025. ' +
        "Garden was 281,933 (up 3%), office 628,418 (up 7%), outdoor 485,313 (up 6.5%) and toys 323,738 (up 5.7%).",
    ],
    [
      "Customers by region",
      '"Europe" has the most customers, 13,300, ahead of "Americas" (3,023) and "Asia" (1,915). ' +
        "Customers add up to 20,000 in these 5 rows.",
    ],
    ["Average order", '"Average order": average is 202.70, up from 202.69 (before).'],
    [
      "Price and demand",
      '"Price and demand": number sold adds up to 671,638 in these 200 rows. "Sturdy Lamp 1" has the highest ' +
        "number sold, 15,510.",
    ],
  ])("%s", async (title, expected) => {
    const query = demoQueries.find((one) => one.title === title);
    if (!query) throw new Error("There is no such query.");
    expect(writeDigest([await report(title, await resultOf(query, "2026-11-16"))])).toBe(expected);
  });

  test("and so does that of the demo's automation, on its second morning", async () => {
    const titles = ["Orders of the last seven days", "Revenue by month", "Best sellers by country"];
    const reports: Report[] = [];
    for (const query of demoQueries.filter(({ title }) => titles.includes(title)).toReversed()) {
      const [now, before] = [await resultOf(query, "2026-11-16"), await resultOf(query, "2026-11-15")];
      reports.push(await report(query.title, now, before));
    }
    expect(writeDigest(reports)).toBe(
      '"Orders of the last seven days": web was 197 on 15 November, 5.7% below 14 November. App was 139 (up 11%) ' +
        "and store 66 (down 1.5%). Unchanged since the last run: Revenue was 2.36 M in October, 5.4% above " +
        'September. "Best sellers by country": "Sturdy Lamp 1" has the highest revenue, 417,408, ahead of ' +
        '"Bright Knife 2" (376,526) and "Bright Pan 28" (293,813).',
    );
  });
});
