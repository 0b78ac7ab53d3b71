import { expect } from "vitest";
import { apiTest } from "../testing/api-test.ts";
import { callTool } from "../testing/call-tool.ts";

apiTest("every call of a tool is listed, without what was asked", async ({ api, make, makeKey }) => {
  const owner = await make.owner();
  const { key, name } = await makeKey(owner, { scopes: ["queries:read"] });
  const client = await api.signedIn(owner);
  await callTool(api, key, { name: "search", input: { text: "secret words" } });
  await callTool(api, key, { name: "get_query", input: { id: crypto.randomUUID() } });
  // No answer waits for the list.
  let calls = await client.mcpCalls.list.query();
  while (calls.length < 2) calls = await client.mcpCalls.list.query();
  expect(calls).toMatchObject([
    { tool: "get_query", errorCode: "not_found", rowCount: null },
    { tool: "search", errorCode: null, key: { name }, owner: { userId: owner.userId } },
  ]);
  expect(JSON.stringify(calls)).not.toContain("secret");
});
