import { type Caller, maxMcpCalls, mcpCallDays } from "@querybell/domain";
import { expect } from "vitest";
import { createKey } from "./keys/index.ts";
import { createMcpCallRecorder, listMcpCalls } from "./mcp-calls.ts";
import { removeMember } from "./members/index.ts";
import { purgeHistory } from "./retention/index.ts";
import { dbTest } from "./testing/db-test.ts";

const test = dbTest
  .extend("recorder", ({ deps }, { onCleanup }) => {
    const recorder = createMcpCallRecorder({ ...deps, onError: () => expect.unreachable() });
    onCleanup(() => recorder.close());
    return recorder;
  })
  .extend("makeCall", ({ deps }) => async (owner: Caller, tool = "search") => {
    const { id: keyId } = await createKey(deps, owner, { name: "Assistant", scopes: ["queries:read"] });
    const { organizationId } = owner;
    return { organizationId, keyId, tool, errorCode: null, rowCount: null, durationMs: 3 };
  });

test("calls are listed newest first, with who made them", async ({
  make,
  deps,
  clock,
  recorder,
  makeCall,
}) => {
  const owner = await make.owner();
  const call = await makeCall(owner);
  recorder.record(call);
  await clock.advance(1000);
  recorder.record({ ...call, tool: "run_query", rowCount: 12, errorCode: "not_found" });
  await recorder.close();
  expect(await listMcpCalls(deps, owner)).toEqual([
    expect.objectContaining({ tool: "run_query", rowCount: 12, errorCode: "not_found", durationMs: 3 }),
    expect.objectContaining({
      tool: "search",
      key: { id: call.keyId, name: "Assistant" },
      owner: expect.objectContaining({ userId: owner.userId }),
    }),
  ]);
});

test("an admin sees the calls of everybody in the organization, a member only their own", async ({
  make,
  deps,
  recorder,
  makeCall,
}) => {
  const owner = await make.owner();
  const member = await make.member(owner.organizationId);
  recorder.record(await makeCall(owner, "search"));
  recorder.record(await makeCall(member, "run_query"));
  recorder.record(await makeCall(await make.owner(), "get_chat"));
  await recorder.close();
  const toolsOf = async (caller: Caller) => (await listMcpCalls(deps, caller)).map(({ tool }) => tool).sort();
  expect(await toolsOf(owner)).toEqual(["run_query", "search"]);
  expect(await toolsOf(member)).toEqual(["run_query"]);
});

test("a call of a key that was deleted meanwhile is skipped, the others are written", async ({
  make,
  deps,
  recorder,
  makeCall,
}) => {
  const owner = await make.owner();
  const member = await make.member(owner.organizationId);
  recorder.record(await makeCall(member, "run_query"));
  recorder.record(await makeCall(owner, "search"));
  await removeMember(deps, owner, { userId: member.userId });
  await recorder.close();
  expect(await listMcpCalls(deps, owner)).toMatchObject([{ tool: "search" }]);
});

test("the last 1,000 of an organization are kept, for a week", async ({
  make,
  deps,
  clock,
  recorder,
  makeCall,
}) => {
  const owner = await make.owner();
  const other = await make.owner();
  recorder.record(await makeCall(other));
  const call = await makeCall(owner);
  recorder.record({ ...call, tool: "first" });
  await recorder.close();
  await clock.advance(1000);
  for (let n = 0; n < maxMcpCalls; n++) recorder.record(call);
  await recorder.close();
  const { prisma } = deps.db;
  const where = { organizationId: owner.organizationId };
  expect(await prisma.mcpCall.count({ where })).toBe(maxMcpCalls);
  expect(await prisma.mcpCall.count({ where: { ...where, tool: "first" } })).toBe(0);
  expect(await listMcpCalls(deps, other)).toHaveLength(1);
  await clock.advance(mcpCallDays * 86_400_000 + 1000);
  await purgeHistory(deps);
  expect(await prisma.mcpCall.count()).toBe(0);
});
