import { z } from "zod";
import type { Api } from "./api-test.ts";

/** What every request of the protocol's revision of 2026 says about its client. */
export const mcpMeta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};

const Reply = z.object({
  result: z
    .object({
      isError: z.boolean().optional(),
      content: z.array(z.object({ text: z.string() })).default([]),
      structuredContent: z.record(z.string(), z.unknown()).optional(),
    })
    .optional(),
  error: z.object({ code: z.number(), message: z.string() }).optional(),
});

/** Sends a body to the MCP server as it is, as a client of 2026 would. */
export const sendMcp = (
  api: Pick<Api, "fetch">,
  key: string,
  { body, headers = {} }: { body: string; headers?: Record<string, string> },
): Promise<Response> =>
  api.fetch("/mcp", {
    method: "POST",
    body,
    headers: {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      ...headers,
    },
  });

/** Calls a tool of the MCP server with any input. */
export async function callTool(
  api: Pick<Api, "fetch">,
  key: string,
  { name, input }: { name: string; input: unknown },
) {
  const params = { name, arguments: input, _meta: mcpMeta };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
  const headers = { "mcp-method": "tools/call", "mcp-name": name };
  const answer = await sendMcp(api, key, { body, headers });
  const text = await answer.text();
  const { result, error } = Reply.parse(JSON.parse(text));
  return {
    status: answer.status,
    isError: result?.isError ?? false,
    firstLine: result?.content[0]?.text.split("\n")[0] ?? "",
    data: result?.structuredContent ?? {},
    error,
    text,
  };
}
