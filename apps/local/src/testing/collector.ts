import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { z } from "zod";

const Attribute = z.object({ key: z.string(), value: z.record(z.string(), z.unknown()) });
const Export = z.object({
  resourceSpans: z.array(
    z.object({
      resource: z.object({ attributes: z.array(Attribute) }),
      scopeSpans: z.array(
        z.object({
          spans: z.array(
            z.object({
              name: z.string(),
              traceId: z.string(),
              spanId: z.string(),
              parentSpanId: z.string().optional(),
              attributes: z.array(Attribute).default([]),
              status: z.object({ code: z.number().optional() }).default({}),
            }),
          ),
        }),
      ),
    }),
  ),
});

export interface CollectedSpan {
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId: string | undefined;
  attributes: Record<string, unknown>;
  isFailed: boolean;
}

/** A collector of OpenTelemetry: it stores the spans that are sent to it by OTLP over HTTP, as JSON. */
export async function startCollector() {
  const spans: CollectedSpan[] = [];
  const bodies: string[] = [];
  const receive = async (request: IncomingMessage) => {
    const body = await text(request);
    bodies.push(body);
    for (const { scopeSpans } of Export.parse(JSON.parse(body)).resourceSpans) {
      for (const { attributes, status, parentSpanId, ...span } of scopeSpans.flatMap(
        (scope) => scope.spans,
      )) {
        spans.push({
          ...span,
          parentSpanId: parentSpanId || undefined,
          attributes: Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]])),
          isFailed: status.code === 2,
        });
      }
    }
  };
  const server = createServer((request, response) => {
    const isRight = request.method === "POST" && request.url === "/v1/traces";
    (isRight ? receive(request) : Promise.reject()).then(
      () => response.writeHead(200, { "content-type": "application/json" }).end("{}"),
      () => response.writeHead(400).end(),
    );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (typeof address !== "object" || !address) throw new Error("The collector has no port.");
  return {
    url: `http://127.0.0.1:${address.port}`,
    spans,
    /** All that was received, as text. */
    received: () => bodies.join("\n"),
    /** The names from a span up to the root of its trace. */
    pathOf(span: CollectedSpan | undefined): string[] {
      if (!span) return [];
      const parent = spans.find(
        ({ spanId, traceId }) => spanId === span.parentSpanId && traceId === span.traceId,
      );
      return [span.name, ...this.pathOf(parent)];
    },
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
