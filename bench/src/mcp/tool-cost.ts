import { listDatabases } from "@querybell/core/databases";
import { createKey } from "@querybell/core/keys";
import { updateSettings } from "@querybell/core/organizations";
import { Scope } from "@querybell/domain";
import { freePort } from "@querybell/embedded-postgres";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { Pool } from "undici";
import { z } from "zod";
import { median } from "../measuring/measuring.ts";
import { apiEntry, startChild } from "../webhooks/child.ts";
import type { Installation } from "../webhooks/installation.ts";
import { McpReply, toMcpRequest } from "./mcp-request.ts";

const calls = 1_000;
const warmUpCalls = 300;

/**
 * How much longer a call of a tool takes than one of an empty tool of the SDK, without the use case itself, and the tokens
 * of all definitions. The three are measured in turns, so that other load on the machine affects all alike.
 */
export async function measureToolCost(
  { deps, environment, addOwner }: Installation,
  cleanup: AsyncDisposableStack,
): Promise<{ toolMs: number; tokens: number }> {
  const owner = await addOwner();
  await updateSettings(deps, owner, { keysRunSql: true });
  const { key } = await createKey(deps, owner, { name: "Tools", scopes: [...Scope.options] });
  const port = await freePort();
  const api = await startChild(apiEntry, {
    ...{ ...environment, LOG_LEVEL: "info", PORT: String(port), RATE_LIMIT_PER_MINUTE: "1000000000" },
  });
  cleanup.defer(api.kill);
  const empty = await startChild(new URL("empty-tool-process.ts", import.meta.url), environment);
  cleanup.defer(empty.kill);
  const ours = await connect(`http://127.0.0.1:${port}`, cleanup);
  const theirs = await connect(z.string().parse(await empty.ask({ ask: "url" })), cleanup);

  const { tools } = z
    .object({ tools: z.array(z.unknown()) })
    .parse(await ours(toMcpRequest({ key, method: "tools/list", params: {} })));
  const call = (name: string) => toMcpRequest({ key, method: "tools/call", params: { name, arguments: {} } });
  const [ourCall, emptyCall] = [call("list_databases"), call("empty")];
  const timed: Record<"ours" | "empty" | "useCase", number[]> = { ours: [], empty: [], useCase: [] };
  for (let index = -warmUpCalls; index < calls; index++) {
    const took = {
      ours: await time(() => ours(ourCall)),
      empty: await time(() => theirs(emptyCall)),
      useCase: await time(() => listDatabases(deps, owner)),
    };
    if (index < 0) continue;
    timed.ours.push(took.ours);
    timed.empty.push(took.empty);
    timed.useCase.push(took.useCase);
  }
  const [full, bare, useCase] = [median(timed.ours), median(timed.empty), median(timed.useCase)];
  const figures = [full, bare, useCase].map((ms) => ms.toFixed(2));
  console.log(
    `a tool ${figures[0]} ms, an empty tool of the SDK ${figures[1]} ms, the use case ${figures[2]} ms`,
  );
  await Promise.all([api.kill(), empty.kill()]);
  return { toolMs: full - bare - useCase, tokens: encode(JSON.stringify(tools)).length };
}

async function time(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

async function connect(url: string, cleanup: AsyncDisposableStack) {
  const pool = new Pool(url, { connections: 1 });
  cleanup.defer(() => pool.close());
  return async ({ headers, body }: ReturnType<typeof toMcpRequest>) => {
    const answer = await pool.request({ method: "POST", path: "/mcp", headers, body });
    return McpReply.parse(await answer.body.json()).result;
  };
}
