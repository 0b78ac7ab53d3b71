import { z } from "zod";

interface McpCall {
  key: string;
  method: string;
  params: Record<string, unknown>;
}

const protocolVersion = "2026-07-28";
const meta = {
  "io.modelcontextprotocol/protocolVersion": protocolVersion,
  "io.modelcontextprotocol/clientCapabilities": {},
};

/** A request as a client of the protocol's revision of 2026 sends it. */
export const toMcpRequest = ({ key, method, params }: McpCall) => ({
  headers: {
    authorization: `Bearer ${key}`,
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": protocolVersion,
    "mcp-method": method,
    ...(method === "tools/call" && { "mcp-name": String(params.name) }),
  },
  body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { ...params, _meta: meta } }),
});

export const McpReply = z.object({ result: z.record(z.string(), z.unknown()) });
