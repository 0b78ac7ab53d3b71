import { expect } from "vitest";
import { expectAccessible } from "../testing/expect-accessible.ts";
import { textOf } from "../testing/steps.ts";
import { walkTest } from "../testing/walk-test.ts";

walkTest(
  "a program connects with a key from the page Agents, which shows its calls",
  async ({ visit, make, api }) => {
    const owner = await make.owner();
    const page = await visit({ as: owner, path: "/settings/agents" });
    await page.getByText("No calls yet").waitFor();
    expect(await textOf(page.locator("code").filter({ hasText: `${api.url}/mcp` }))).toBe(`${api.url}/mcp`);
    await expectAccessible(page);
    await page.getByRole("button", { name: "Create a key" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name", { exact: true }).fill("Assistant");
    expect(await dialog.getByLabel("Run queries (queries:run)").isChecked()).toBe(true);
    expect(await dialog.getByLabel("Run SQL (sql:run)").isChecked()).toBe(false);
    await dialog.getByRole("button", { name: "Create the key" }).click();
    await dialog.getByRole("button", { name: "I have copied it" }).click();
    const command = await textOf(page.getByRole("group", { name: "the text for Claude Code" }));
    const [key = ""] = /qb_[\w-]{20,}/.exec(command) ?? [];
    await page.getByRole("tab", { name: "Cursor" }).click();
    const shown = await textOf(page.getByRole("group", { name: "the text for Cursor" }));
    expect(JSON.parse(shown)).toEqual({
      mcpServers: { querybell: { url: `${api.url}/mcp`, headers: { Authorization: `Bearer ${key}` } } },
    });

    const _meta = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": {},
    };
    const answer = await fetch(`${api.url}/mcp`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${key}`,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "tools/call",
        "mcp-name": "list_databases",
      },
      body: JSON.stringify({
        ...{ jsonrpc: "2.0", id: 1, method: "tools/call" },
        params: { name: "list_databases", arguments: {}, _meta },
      }),
    });
    expect(answer.status).toBe(200);
    const call = page.getByRole("list", { name: "Last calls" }).getByRole("listitem");
    await call.filter({ hasText: "list_databases" }).filter({ hasText: "Assistant" }).waitFor();
    await expectAccessible(page);
  },
);
