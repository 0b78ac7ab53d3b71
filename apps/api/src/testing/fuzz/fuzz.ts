import { Agent } from "node:http";
import type { Deps } from "@querybell/core";
import type { Factories } from "@querybell/testkit";
import fc from "fast-check";
import { execute } from "../run-states.ts";
import { type ApiProcess, startApiProcess } from "./api-process.ts";
import { callOf, type FuzzCall } from "./call.ts";
import { checkCall } from "./check-call.ts";
import { type Operation, operations } from "./operations.ts";
import { makeOther, makeOurs, type OurOrganization, readIds } from "./organizations.ts";
import { countAnswer, emptyReport, type FuzzReport, reportLines, worseOf } from "./report.ts";
import { type IdsByKind, kindOfField, type Whose } from "./symbols.ts";

export interface FuzzOptions {
  deps: Deps;
  make: Factories;
  duckdbFolder: string;
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

/** Calls every operation with generated inputs, and checks every answer. A failure does not end it. */
export async function fuzz(options: FuzzOptions): Promise<FuzzReport> {
  const { deps, only, print } = options;
  const chosen = operations.filter(({ name }) => name.includes(only));
  // First, because at its start on a database that was copied it changes rows of everybody.
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
  // What starting has taken does not count.
  await api.measure();

  const endsAt = performance.now() + options.seconds * 1000;
  for (; report.rounds < options.rounds && performance.now() < endsAt; report.rounds++) {
    const seed = options.seed + report.rounds;
    for (const [at, operation] of chosen.entries()) {
      if (performance.now() > endsAt) break;
      const isNext = at % operationsPerOrganization === 0;
      if (!ours || isNext || !(await isComplete(api, ours))) {
        expectUnchanged(await other.changedTables(), `Calls before ${operation.name}`);
        ours = await makeOurs(options, api.url);
        ids = { ours: await readIds(deps, ours.organizationId), theirs: other.ids };
        accepted.clear();
      }
      const context = { url: api.url, agent, ids, ours, other, accepted };
      const result = await fc.check(
        fc.asyncProperty(callOf(operation), async (call) => {
          const { answer, complaints } = await checkCall(operation, call, context);
          countAnswer(report, operation.name, answer);
          learnIds(ids.ours, operation.name, answer?.text ?? "");
          if (complaints.length > 0) throw new Error(complaints.join("\n"));
        }),
        { seed, numRuns: options.callsPerOperation },
      );
      if (result.failed) fail(failureText(operation, result, seed));
      await executeRuns(deps, ours);
      report.longestBlock = worseOf(report.longestBlock, {
        ms: await api.measure(),
        operation: operation.name,
      });
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

function failureText(operation: Operation, result: fc.RunDetails<[FuzzCall]>, seed: number): string {
  const [call] = result.counterexample ?? [];
  return [
    `${operation.name}: ${String(result.errorInstance).slice(0, 2_000)}`,
    `  smallest call: ${JSON.stringify(call)?.slice(0, 2_000)}`,
    `  again: pnpm fuzz --seed ${seed} --only "${operation.name}" --rounds 1`,
  ].join("\n");
}

/** Whether the people and keys of the organization still have access: calls remove members and revoke keys. */
async function isComplete(api: ApiProcess, { headers }: OurOrganization): Promise<boolean> {
  const { owner, admin, member, key } = headers;
  const statuses = await Promise.all([
    ...[owner, admin, member].map((caller) => fetch(`${api.url}/api/trpc/settings.get`, { headers: caller })),
    fetch(`${api.url}/api/key`, { headers: key }),
  ]);
  return statuses.every(({ ok }) => ok);
}

function expectUnchanged(changedTables: string[], calls: string): void {
  if (changedTables.length === 0) return;
  throw new Error(`${calls} changed another organization's ${changedTables.join(", ")}.`);
}

/** Adds what an answer names to the ids that further calls use: cursors, and what was created. */
function learnIds(ids: IdsByKind, operation: string, text: string): void {
  const learn = (kind: string, id: string | undefined) =>
    id && ids.set(kind, [id, ...(ids.get(kind) ?? [])].slice(0, 50));
  learn("cursor", /"nextCursor":"([^"]+)"/.exec(text)?.[1]);
  const kind = kindOfField("id", operation.split(".")[0] ?? "");
  if (kind && /\.(create|run|trigger|refresh|start)$/.test(operation)) {
    learn(kind, /"data":\{"id":"([0-9a-f-]{36})"/.exec(text)?.[1]);
  }
}

/** Executes some of the runs that the calls have started, so that further calls find results. */
async function executeRuns(deps: Deps, { organizationId }: OurOrganization): Promise<void> {
  const where = { organizationId, status: "pending" } as const;
  for (const { id } of await deps.db.prisma.queryRun.findMany({ where, take: 3 })) await execute(deps, id);
}
