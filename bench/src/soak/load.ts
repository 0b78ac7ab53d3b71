import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import type { Answer } from "./answers.ts";
import type { Calls } from "./calls.ts";
import type { Ledger } from "./ledger.ts";
import type { World } from "./world.ts";

const WithId = z.object({ id: z.string() });
const WithShortId = z.object({ shortId: z.string() });
const Page = z.object({ items: z.array(WithId), nextCursor: z.string().optional() });
const Claim = z.object({ run: WithId, claimNumber: z.number() }).nullable();
const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(Math.random() * items.length)] as Item;
const upTo = (count: number): number => Math.floor(Math.random() * count);
const maxReferences = 200;
const maxPages = 20;

/** If the connection to Postgres breaks at the commit, nobody knows whether it took place: `unavailable`. */
const mayHaveHappened = (answer: Answer): boolean =>
  answer.kind !== "refused" || answer.code === "unavailable";

interface LoadOptions {
  calls: Calls;
  world: World;
  ledger: Ledger;
  isOver: () => boolean;
  onWrong: (problem: string) => void;
}

/** All kinds of work at once, each with pauses, until it is over. */
export async function runLoad({ calls, world, ledger, isOver, onWrong }: LoadOptions): Promise<void> {
  const repeat = async (pauseMs: number, work: () => Promise<unknown>) => {
    while (!isOver()) {
      await work();
      await delay(pauseMs);
    }
  };
  const { quick, slow, large, wrong } = world.queries;
  const run = async (id: string, shortId: string, n: number): Promise<string | undefined> => {
    const answer = await calls.post("queries.run", { id, shortId, parameterValues: { n } });
    const runId = calls.read(answer, WithId)?.id;
    if (runId) ledger.queryRuns.add(runId);
    return runId;
  };

  async function runQuick(): Promise<void> {
    const { id, shortId } = pick(quick);
    const runId = await run(id, shortId, upTo(20));
    if (runId && upTo(3) === 0) await calls.watch(runId);
    await calls.get("queries.result", { id, shortId, parameterValues: { n: upTo(20) } });
  }

  async function runSlow(): Promise<void> {
    const runId = await run(slow.id, slow.shortId, upTo(5));
    if (runId && upTo(2) === 0) await calls.post("runs.cancel", { id: runId });
    await run(wrong.id, wrong.shortId, upTo(5));
    await calls.post("queries.refresh", { id: pick(quick).id });
  }

  /** Downloads, half of them by clients that leave in the middle. */
  async function download(): Promise<void> {
    const runId = await run(large.id, large.shortId, upTo(3));
    if (!runId) return;
    await delay(2_000);
    const ending = pick(["", ".csv", ".json", ".parquet"]);
    const leaving = upTo(2) === 0 ? { leaveAfterBytes: 10_000 } : {};
    const path = `/api/runs/${runId}/result${ending}`;
    const { authorization } = calls.withKey;
    await calls.send({ method: "GET", path, headers: { authorization }, ...leaving });
  }

  async function changeReferences(): Promise<void> {
    const title = `Title ${upTo(1_000_000)}`;
    const live = [...ledger.references].filter(([, titles]) => titles.size === 1 && !titles.has(null));
    if (live.length < maxReferences && upTo(2) === 0) {
      const answer = await calls.post("references.create", { queryId: pick(quick).id, title });
      const created = calls.read(answer, WithShortId);
      if (created) ledger.references.set(created.shortId, new Set([title]));
      return;
    }
    if (live.length === 0) return;
    const [shortId, titles] = pick(live);
    const isDeletion = upTo(4) === 0;
    const answer = isDeletion
      ? await calls.post("references.delete", { shortId })
      : await calls.post("references.update", { shortId, title });
    if (answer.kind === "done") titles.clear();
    if (mayHaveHappened(answer)) titles.add(isDeletion ? null : title);
  }

  /** All pages of a list: no row twice, and an end. */
  async function readPages(): Promise<void> {
    const procedure = pick(["references.list", "queries.list", "runs.list", "automationRuns.list"]);
    const seen = new Set<string>();
    let cursor: string | undefined;
    for (let page = 0; page < maxPages; page++) {
      const found = calls.read(await calls.get(procedure, { limit: 20, ...(cursor && { cursor }) }), Page);
      if (!found) return;
      for (const { id } of found.items) {
        if (seen.has(id)) onWrong(`${procedure} listed ${id} twice.`);
        seen.add(id);
      }
      cursor = found.nextCursor;
      if (!cursor) return;
    }
  }

  /** Pages of the web app: permalinks of references and the list of deliveries. */
  async function openPermalinks(): Promise<void> {
    const { shortId } = pick(quick);
    const answer = await calls.asOwner("GET", `/q/${shortId}`);
    if (answer.kind === "done" && answer.status !== 200) onWrong(`A permalink answered ${answer.status}.`);
    await calls.asOwner("GET", "/settings/webhooks");
  }

  async function triggerDigest(): Promise<void> {
    const answer = await calls.post("automations.trigger", { id: world.automations.digest.id });
    const runId = calls.read(answer, WithId)?.id;
    if (runId) ledger.automationRuns.add(runId);
  }

  async function actAsAgent(): Promise<void> {
    const automationId = world.automations.external.id;
    const answer = await calls.post("externalAgents.claim", { automationId, leaseSeconds: 5 });
    const claim = calls.read(answer, Claim);
    if (claim === null) {
      const started = calls.read(await calls.post("automations.trigger", { id: automationId }), WithId);
      if (started) ledger.automationRuns.add(started.id);
    }
    // Now and then the agent dies: the run is offered again, and fails if that happens too often.
    if (!claim || upTo(10) === 0) return;
    const summary = `Done ${upTo(1_000_000)}.`;
    const { claimNumber, run: claimed } = claim;
    const ended = await calls.post("externalAgents.complete", { runId: claimed.id, claimNumber, summary });
    if (ended.kind === "done") ledger.agentSummaries.set(claimed.id, summary);
  }

  async function upload(): Promise<void> {
    const rows = 1 + upTo(5_000);
    const lines = Array.from({ length: rows }, (_, row) => `${row},${"value".repeat(20)}`);
    const answer = await calls.send({
      method: "POST",
      path: "/api/uploads?name=soak.csv&table=soak&mode=replace",
      headers: { ...calls.withKey, "content-type": "text/csv" },
      body: `n,text\n${lines.join("\n")}\n`,
    });
    if (answer.kind === "done") ledger.uploadedRows.clear();
    if (mayHaveHappened(answer)) ledger.uploadedRows.add(rows);
  }

  /** An admin who looks after the endpoints: what was disabled is enabled again, and held deliveries are sent. */
  async function lookAfterEndpoints(): Promise<void> {
    for (const id of Object.values(world.endpoints)) {
      await calls.asOwner("POST", "/api/trpc/webhookEndpoints.enable", {
        id,
        held: "deliver",
        perSecond: 50,
      });
    }
  }

  /** Calls that must be refused. */
  async function sendNonsense(): Promise<void> {
    const wrongInputs = [{ id: "x" }, { id: "00000000-0000-7000-8000-000000000000" }, { nonsense: true }];
    const answers = [
      await calls.post("queries.run", pick(wrongInputs)),
      await calls.get("references.list", { cursor: "abc" }),
      await calls.send({ method: "POST", path: "/api/trpc/queries.run", headers: calls.withKey, body: "{" }),
      await calls.send({ method: "GET", path: "/api/key", headers: { authorization: "Bearer qb_x_y" } }),
      await calls.send({ method: "GET", path: "/api/nothing" }),
    ];
    if (answers.some(({ kind }) => kind === "done")) onWrong("A call with a wrong input was accepted.");
  }

  await Promise.all([
    repeat(150, runQuick),
    repeat(400, runQuick),
    repeat(2_000, runSlow),
    repeat(3_000, download),
    repeat(300, changeReferences),
    repeat(300, readPages),
    repeat(500, openPermalinks),
    repeat(700, triggerDigest),
    repeat(150, actAsAgent),
    repeat(5_000, upload),
    repeat(20_000, lookAfterEndpoints),
    repeat(2_000, sendNonsense),
  ]);
}
