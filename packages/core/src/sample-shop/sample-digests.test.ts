import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { shownColumnsOf } from "@querybell/domain";
import { createEngineHosts, type StoredResult } from "@querybell/engine-hosts";
import { engineOf } from "@querybell/engines";
import { createSampleShop } from "@querybell/engines/sample-shop";
import { compileStatement, parseStatement, resolveValues } from "@querybell/statements";
import { type Report, writeDigest } from "@querybell/summaries";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sampleQueries } from "./sample-queries.ts";

let folder: string;
let hosts: ReturnType<typeof createEngineHosts>;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "querybell-sample-digests-"));
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

/** Runs a sample query as of a morning. */
async function resultOf({ sql, parameters = [] }: (typeof sampleQueries)[number], today: string) {
  const statement = parseStatement(sql, engineOf("duckdb").dialect);
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

async function report(
  { title, visualization }: (typeof sampleQueries)[number],
  ...results: StoredResult[]
): Promise<Report> {
  const shownColumns = visualization ? shownColumnsOf(visualization) : [];
  const operation = { name: "describe" as const, title, today: "2026-11-16", shownColumns };
  const outcome = await hosts.compute({ organizationId, operation, results });
  if (outcome.kind !== "computed") throw new Error(outcome.failure.message);
  return outcome.answer.report;
}

describe("the digest of a sample query reads well by itself", () => {
  test.each([
    [
      "Revenue by month",
      "Revenue in October 2026 was 2.36 M, 5.4% more than in September 2026. Values in October 2026, compared with the value in September 2026: web 1.21 M (+6%), app 781,190 (+6.3%) and store 372,943 (+2%). October 2026 is number 1 of 12 months by revenue (highest first), with 2.36 M.",
    ],
    [
      "Orders of the last seven days",
      '"Orders of the last seven days": web on 15 November 2026 was 197, 5.7% less than on 14 November 2026. Values on 15 November 2026, compared with the value on 14 November 2026: app 139 (+11%) and store 66 (-1.5%).',
    ],
    [
      "Best sellers by country",
      '"Best sellers by country": the 3 highest values of revenue are "Sturdy Lamp 1" (product) 417,408, "Bright Knife 2" (product) 376,526 and "Bright Pan 28" (product) 293,813.',
    ],
    ["Find customers", '"Find customers": there are 100 rows.'],
    [
      "Revenue by category",
      '"Revenue by category": kitchen in October 2026 was 641,285, 4.1% more than in September 2026 and 34% more than in October 2025. Values in October 2026, compared with the value in September 2026: garden 281,933 (+3%), office 628,418 (+7%), outdoor 485,313 (+6.5%) and toys 323,738 (+5.7%).',
    ],
    [
      "Customers by region",
      'The 3 highest values of customers are "Europe" 13,300, "Americas" 3,023 and "Asia" 1,915. Total customers are 20,000 (5 rows).',
    ],
    ["Average order", '"Average order": average is 202.7, 0.01 more than "before" (202.69).'],
    [
      "Price and demand",
      '"Price and demand": total sold is 671,638 (200 rows). "Sturdy Lamp 1" has the highest sold, 15,510.',
    ],
  ])("%s", async (title, expected) => {
    const query = sampleQueries.find((one) => one.title === title);
    if (!query) throw new Error("There is no such query.");
    expect(writeDigest([await report(query, await resultOf(query, "2026-11-16"))])).toBe(expected);
  });

  test("and so does that of the shop's automation, on its second morning", async () => {
    const titles = ["Orders of the last seven days", "Revenue by month", "Best sellers by country"];
    const reports: Report[] = [];
    for (const query of sampleQueries.filter(({ title }) => titles.includes(title)).toReversed()) {
      const [now, before] = [await resultOf(query, "2026-11-16"), await resultOf(query, "2026-11-15")];
      reports.push(await report(query, now, before));
    }
    expect(writeDigest(reports)).toBe(
      '"Orders of the last seven days": web on 15 November 2026 was 197, 5.7% less than on 14 November 2026. Values on 15 November 2026, compared with the value on 14 November 2026: app 139 (+11%) and store 66 (-1.5%). Unchanged since the last run: Revenue in October 2026 was 2.36 M, 5.4% more than in September 2026. "Best sellers by country": the 3 highest values of revenue are "Sturdy Lamp 1" (product) 417,408, "Bright Knife 2" (product) 376,526 and "Bright Pan 28" (product) 293,813.',
    );
  });
});
