import { Agent } from "node:http";
import type { Deps } from "@querybell/core";
import { createSeededRandom, execute } from "@querybell/core/testing";
import fc from "fast-check";
import { z } from "zod";
import { type ApiProcess, startApiProcess } from "./api-process.ts";
import { callOf, type FuzzCall, likelyCallOf } from "./call.ts";
import { checkCall } from "./check-call.ts";
import { type Operation, operations } from "./operations.ts";
import { type FuzzSetup, makeOther, readIds } from "./organizations.ts";
import { makeOurs, type OurOrganization } from "./our-organization.ts";
import { countAnswer, emptyReport, type FuzzReport, reportLines, worseOf } from "./report.ts";
import type { IdsByKind, Whose } from "./symbols.ts";

export interface FuzzOptions extends FuzzSetup {
  /** The settings of the api's process. */
  settings: Record<string, string>;
  seed: number;
  /** Calls of each operation in a round. */
  callsPerOperation: number;
  /** It ends after this many rounds, or when the time is up. */
  rounds: number;
  seconds: number;
  /** Only operations whose name contains this. */
  only: string;
  print(line: string): void;
}

// Calls delete and end what is there, so a new organization calls after this many operations.
const operationsPerOrganization = 25;

const longBlockMs = 100;

/** Calls every operation with generated inputs, and checks every answer. A failure does not end it. */
export async function fuzz(options: FuzzOptions): Promise<FuzzReport> {
  const { deps, only, print } = options;
  const chosen = operations.filter(({ name }) => name.includes(only));
  // Started first, because its start on a copied database changes rows of all organizations.
  await using api = await startApiProcess(options.settings);
  const other = await makeOther(options);
  const agent = new Agent({ keepAlive: true });
  const report = emptyReport();
  const fail = (failure: string) => {
    report.failures.push(failure);
    print(failure);
  };
  let ours: OurOrganization | undefined;
  let ids: Record<Whose, IdsByKind> = { ours: new Map(), theirs: other.ids };
  const accepted = new Set<string>();
  let operationsOfOurs = 0;
  let hasChanged = false;
  // The start is not measured.
  await api.measure();

  const endsAt = performance.now() + options.seconds * 1000;
  for (; report.rounds < options.rounds && performance.now() < endsAt; report.rounds++) {
    const seed = options.seed + report.rounds;
    for (const operation of shuffledInRouters(chosen, seed)) {
      if (performance.now() > endsAt) break;
      const isUsed = operationsOfOurs === operationsPerOrganization;
      if (!ours || isUsed || (hasChanged && !(await isComplete(api, ours)))) {
        expectUnchanged(await other.changedTables(), `Calls before ${operation.name}`);
        ours = await makeOurs(options, api.url);
        const found = await readIds(deps, ours.organizationId);
        ids = { ours: new Map([...ours.secrets, ...found]), theirs: other.ids };
        accepted.clear();
        operationsOfOurs = 0;
      } else if (hasChanged) {
        for (const [kind, found] of await readIds(deps, ours.organizationId)) ids.ours.set(kind, found);
      }
      hasChanged = false;
      operationsOfOurs++;
      const context = { url: api.url, agent, ids, ours, other, accepted };
      const result = await fc.check(
        fc.asyncProperty(callOf(operation), async (call) => {
          const { answer, problems } = await checkCall(operation, call, context);
          countAnswer(report, { operation: operation.name, form: call.form }, answer);
          hasChanged ||= !operation.changesNothing && (answer?.status ?? 500) < 400;
          learnCursor(ids.ours, answer?.text ?? "");
          if (problems.length > 0) throw new Error(problems.join("\n"));
        }),
        runsOf(operation, seed, options.callsPerOperation),
      );
      if (result.failed) fail(failureText(operation, result, seed));
      await executeRuns(deps, ours);
      const ms = await api.measure();
      if (ms > longBlockMs) print(`${operation.name}: the event loop was blocked for ${ms} ms of CPU time`);
      report.longestBlock = worseOf(report.longestBlock, { ms, operation: operation.name });
      const [line] = api.takeErrors();
      if (line) fail(`${operation.name}: the api logged ${line.slice(0, 2_000)}`);
    }
  }
  agent.destroy();
  expectUnchanged(await other.changedTables(), "The last calls");
  report.highestMemoryMb = api.highestMemoryMb();
  const names = chosen.map(({ name }) => name);
  for (const line of reportLines(report, names)) print(line);
  return report;
}

/** The first fifth are calls that should succeed. Each operation has its own random numbers. */
function runsOf(operation: Operation, round: number, numRuns: number): fc.Parameters<[FuzzCall]> {
  const seed = [...operation.name].reduce(
    (hash, char) => (Math.imul(hash, 31) + char.charCodeAt(0)) | 0,
    round,
  );
  const likely = fc.sample(likelyCallOf(operation), { seed, numRuns: Math.ceil(numRuns / 5) });
  return { seed, numRuns, examples: likely.map((call) => [call]) };
}

function failureText(operation: Operation, result: fc.RunDetails<[FuzzCall]>, seed: number): string {
  const [call] = result.counterexample ?? [];
  return [
    `${operation.name}: ${String(result.errorInstance).slice(0, 2_000)}`,
    `  smallest call: ${JSON.stringify(call)?.slice(0, 2_000)}`,
    `  again: pnpm fuzz --seed ${seed} --only "${operation.name}" --rounds 1`,
  ].join("\n");
}

/** In another order in each round: what one operation of a router ends, another one needs. */
function shuffledInRouters(chosen: Operation[], seed: number): Operation[] {
  const random = createSeededRandom(seed);
  const routers = Map.groupBy(chosen, ({ name }) => name.split(".")[0]);
  return [...routers.values()].flatMap((group) =>
    group
      .map((operation) => ({ operation, at: random.below(2 ** 32) }))
      .toSorted((one, other) => one.at - other.at)
      .map(({ operation }) => operation),
  );
}

const Me = z.object({ result: z.object({ data: z.object({ organizationId: z.string().nullable() }) }) });

/** Whether its people and keys still have access to it: calls remove members, revoke keys and switch organizations. */
async function isComplete(api: ApiProcess, { organizationId, headers }: OurOrganization): Promise<boolean> {
  const { owner, admin, member, key } = headers;
  const [keyAnswer, ...answers] = await Promise.all([
    fetch(`${api.url}/api/key`, { headers: key }),
    ...[owner, admin, member].map((caller) => fetch(`${api.url}/api/trpc/me.get`, { headers: caller })),
  ]);
  const people = await Promise.all(answers.map(async (answer) => Me.safeParse(await answer.json()).data));
  return keyAnswer.ok && people.every((me) => me?.result.data.organizationId === organizationId);
}

function expectUnchanged(changedTables: string[], calls: string): void {
  if (changedTables.length === 0) return;
  throw new Error(`${calls} changed another organization's ${changedTables.join(", ")}.`);
}

/** Adds the cursor of an answer to those that further calls use. */
function learnCursor(ids: IdsByKind, text: string): void {
  const [, cursor] = /"nextCursor":"([^"]+)"/.exec(text) ?? [];
  if (cursor) ids.set("cursor", [cursor, ...(ids.get("cursor") ?? [])].slice(0, 50));
}

/** Executes some of the runs that the calls have started, so that further calls find results. */
async function executeRuns(deps: Deps, { organizationId }: OurOrganization): Promise<void> {
  const where = { organizationId, status: "pending" } as const;
  for (const { id } of await deps.db.prisma.queryRun.findMany({ where, take: 3 })) await execute(deps, id);
}
