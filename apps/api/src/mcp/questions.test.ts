import { createQuery } from "@querybell/core/queries";
import { runQuery } from "@querybell/core/runs";
import { createSeededRandom, execute } from "@querybell/core/testing";
import { expect } from "vitest";
import { apiTest } from "../testing/api-test.ts";
import { callTool } from "../testing/call-tool.ts";
import {
  factOf,
  type GeneratedResult,
  generateQuestion,
  generateResult,
  type Limit,
  limits,
  type Question,
  sqlOf,
} from "../testing/questions/generate.ts";
import { askClient, type Manner, manners } from "../testing/questions/scripted-client.ts";

const seed = Number(process.env.QUERYBELL_TEST_SEED ?? Date.now() % 2 ** 31);
const questions = Number(process.env.QUERYBELL_TEST_RUNS ?? 40);
const questionsOfResult = 4;

const test = apiTest
  .extend("serverSettings", { scope: "file" }, () => ({ RATE_LIMIT_PER_MINUTE: 1_000_000 }))
  /** Stores a result, and returns what asks the client about it. */
  .extend("store", { scope: "file" }, async ({ api, deps, make, makeKey }) => {
    const owner = await make.owner();
    const { key } = await makeKey(owner);
    const databases: Record<Limit, { id: string }> = {
      none: await make.database(owner, { limits: limits.none }),
      rows: await make.database(owner, { limits: limits.rows }),
      bytes: await make.database(owner, { limits: limits.bytes }),
    };
    const call = (name: string, input: unknown) => callTool(api, key, { name, input });
    return async (result: GeneratedResult) => {
      const { id: analyticalDatabaseConfigId } = databases[result.limit];
      const { id } = await createQuery(deps, owner, { sql: sqlOf(result), analyticalDatabaseConfigId });
      await execute(deps, (await runQuery(deps, owner, { id, parameterValues: {} })).id);
      return async (question: Question, manner: Manner, maxRows: number) => {
        const answer = await askClient(call, { queryId: id, question, manner, maxRows });
        const about = { seed, result, question, manner, maxRows };
        expect({ ...about, answer }).toEqual({ ...about, answer: factOf(result, question) });
      };
    };
  });

test("no count, sum, minimum or maximum is wrong because an answer is cut", { timeout: 600_000 }, async ({
  store,
}) => {
  const random = createSeededRandom(seed);
  for (let asked = 0; asked < questions; asked += questionsOfResult) {
    const ask = await store(generateResult(random));
    for (let index = 0; index < questionsOfResult; index++) {
      await ask(generateQuestion(random), random.pick(manners), 1 + random.below(500));
    }
  }
});

test("a client never takes the first 2,000 rows for all of them", async ({ store }) => {
  const all: Omit<GeneratedResult, "size"> = {
    ...{ limit: "rows", nullEvery: 7, factor: 7_919, modulus: 10_009, labelLength: 3 },
  };
  for (const size of [2_000, 2_001]) {
    const ask = await store({ ...all, size });
    for (const manner of manners) {
      await ask({ figure: "count" }, manner, 500);
      await ask({ figure: "sum", column: "n" }, manner, 500);
    }
  }
});
