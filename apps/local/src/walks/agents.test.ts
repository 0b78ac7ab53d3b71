import { createHash } from "node:crypto";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { z } from "zod";
import { expectAccessible } from "../testing/expect-accessible.ts";
import { heading, textOf } from "../testing/steps.ts";
import { walkTest } from "../testing/walk-test.ts";

/** Calls a tool as a program does. */
async function callTool(url: string, token: string): Promise<number> {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const answer = await fetch(`${url}/mcp`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${token}`,
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
  return answer.status;
}

const showsCall = (page: Page, who: string) =>
  page
    .getByRole("list", { name: "Last calls" })
    .getByRole("listitem")
    .filter({ hasText: "list_databases" })
    .filter({ hasText: who })
    .waitFor();

walkTest(
  "a program connects with a key from the page Agents, which shows its calls",
  async ({ visit, make, api }) => {
    const owner = await make.owner();
    const page = await visit({ as: owner, path: "/settings/agents" });
    await page.getByText("No calls yet").waitFor();
    await page.getByRole("button", { name: "Create a key" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name", { exact: true }).fill("Nightly program");
    expect(await dialog.getByLabel("Run queries (queries:run)").isChecked()).toBe(true);
    expect(await dialog.getByLabel("Run SQL (sql:run)").isChecked()).toBe(false);
    await dialog.getByRole("button", { name: "Create the key" }).click();
    await dialog.getByRole("button", { name: "I have copied it" }).click();
    const command = await textOf(page.getByRole("group", { name: "the text for Claude Code with a key" }));
    const [key = ""] = /qb_[\w-]{20,}/.exec(command) ?? [];
    await page.getByRole("tab", { name: "Cursor" }).click();
    const shown = await textOf(page.getByRole("group", { name: "the text for Cursor with a key" }));
    expect(JSON.parse(shown)).toEqual({
      mcpServers: { querybell: { url: `${api.url}/mcp`, headers: { Authorization: `Bearer ${key}` } } },
    });
    expect(await callTool(api.url, key)).toBe(200);
    await showsCall(page, "Nightly program");
    await expectAccessible(page);
  },
);

const verifier = "v".repeat(43);
const callback = "http://127.0.0.1:9/callback";
const post = (url: string, body: string, type: string) =>
  fetch(url, { method: "POST", body, headers: { "content-type": type } }).then((answer) => answer.json());

walkTest(
  "a program asks a member, who agrees, sees what it does, and disconnects it",
  async ({ visit, make, api }) => {
    const owner = await make.owner();
    const member = await make.member(owner.organizationId);
    const metadata = { client_name: "Assistant", redirect_uris: [callback] };
    const registered = await post(
      `${api.url}/api/oauth/register`,
      JSON.stringify(metadata),
      "application/json",
    );
    const { client_id: clientId } = z.object({ client_id: z.string() }).parse(registered);
    const request = new URLSearchParams({
      ...{ client_id: clientId, redirect_uri: callback, response_type: "code", state: "s", extra: "x" },
      code_challenge: createHash("sha256").update(verifier).digest("base64url"),
      ...{ code_challenge_method: "S256", scope: "queries:read queries:run references:write" },
    });

    const page = await visit({ as: member });
    // The program's own page, which only says that it has the answer.
    await page.route(`${callback}**`, (route) =>
      route.fulfill({
        headers: { "content-security-policy": "script-src 'self'", "content-type": "text/html" },
        body: "<title>Done</title>",
      }),
    );
    const opened = await page.goto(`/connect?${request}`);
    // No other page can show it in a frame, and trick people into agreeing.
    expect(opened?.headers()).toMatchObject({
      "x-frame-options": "DENY",
      "content-security-policy": expect.stringContaining("frame-ancestors 'none'"),
    });
    await heading(page, "Connect Assistant?");
    await page.getByText("this computer").waitFor();
    await expectAccessible(page);
    await page.getByRole("link", { name: "Deny" }).click();
    await page.waitForURL(`${callback}?error=access_denied**`);
    expect(new URL(page.url()).searchParams.get("state")).toBe("s");

    await page.goto(`/connect?${request}`);
    await page.getByLabel("Write charts").uncheck();
    await page.getByRole("button", { name: "Connect" }).click();
    await page.waitForURL(`${callback}?code=**`);
    const { searchParams } = new URL(page.url());
    expect(searchParams.get("iss")).toBe(api.url);
    const form = new URLSearchParams({
      ...{ grant_type: "authorization_code", code: searchParams.get("code") ?? "" },
      ...{ client_id: clientId, code_verifier: verifier },
    });
    const tokens = await post(
      `${api.url}/api/oauth/token`,
      String(form),
      "application/x-www-form-urlencoded",
    );
    const { access_token: token, scope } = z
      .object({ access_token: z.string(), scope: z.string() })
      .parse(tokens);
    expect(scope).toBe("queries:read queries:run");
    expect(await callTool(api.url, token)).toBe(200);

    await page.goto("/settings/agents");
    await showsCall(page, "Assistant");
    await page.getByRole("list", { name: "Connected programs" }).getByText("this computer").waitFor();
    await page.goto("/account");
    await page.getByRole("button", { name: "Disconnect Assistant" }).click();
    await page.getByRole("button", { name: "Disconnect the program" }).click();
    await page.getByText("No program is connected.").waitFor();
    expect(await callTool(api.url, token)).toBe(401);
  },
);
