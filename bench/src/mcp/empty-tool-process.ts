// The lower bound for a call of a tool: the official SDK with one tool that does nothing, behind a bare Fastify route.
import { createMcpHandler, Server } from "@modelcontextprotocol/server";
import fastify from "fastify";

const definition = { name: "empty", description: "Does nothing.", inputSchema: { type: "object" as const } };
const handler = createMcpHandler(() => {
  const server = new Server({ name: "empty", version: "1.0.0" }, { capabilities: { tools: {} } });
  server.setRequestHandler("tools/list", () => ({ tools: [definition] }));
  server.setRequestHandler("tools/call", () => ({ content: [] }));
  return server;
});

const app = fastify();
app.post("/mcp", async ({ headers, body }, reply) => {
  const copied = Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]);
  const text = JSON.stringify(body);
  const sent = copied.filter(
    ([name]) => name === "accept" || name === "content-type" || name.startsWith("mcp-"),
  );
  const request = new Request("http://127.0.0.1/mcp", { method: "POST", headers: sent, body: text });
  return reply.send(await handler.fetch(request, { parsedBody: body }));
});

process.on("disconnect", () => process.exit());
process.on("message", async () => process.send?.(await app.listen({ host: "127.0.0.1", port: 0 })));
process.send?.("ready");
