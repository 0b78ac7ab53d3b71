import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import { watchChat } from "@querybell/core/automations";
import { createKey } from "@querybell/core/keys";
import { watchRun } from "@querybell/core/runs";
import { createEndpoint } from "@querybell/core/webhooks";
import { type Caller, CreateWebhookEndpoint, Scope } from "@querybell/domain";
import { startTracing } from "@querybell/runtime";
import { describe, expect, vi } from "vitest";
import { z } from "zod";
import { startCollector } from "./testing/collector.ts";
import { walkTest } from "./testing/walk-test.ts";

const WithId = z.object({ result: z.object({ data: z.object({ id: z.string() }) }) });
const callersTrace = "0af7651916cd43dd8448eb211c80319c";
const callersTraceparent = `00-${callersTrace}-b7ad6b7169203331-01`;

/** The api and the worker run in this process, so one tracer serves both. */
const traceTest = walkTest
  .extend("collector", async ({ port: _ }, { onCleanup }) => {
    const collector = await startCollector();
    onCleanup(collector.stop);
    return collector;
  })
  .extend("tracing", async ({ collector }, { onCleanup }) => {
    const tracing = await startTracing(
      { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_TRACES_SAMPLER_ARG: 1 },
      "api",
    );
    onCleanup(tracing.stop);
    return tracing;
  })
  .extend("call", ({ api, deps }) => {
    /** Calls a procedure with a key of the owner; returns the id of what it made. */
    return async (owner: Caller, procedure: string, input: object): Promise<string> => {
      const { key } = await createKey(deps, owner, { name: "Test", scopes: [...Scope.options] });
      const answer = await fetch(`${api.url}/api/trpc/${procedure}`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${key}`,
          "content-type": "application/json",
          traceparent: callersTraceparent,
        },
        body: JSON.stringify(input),
      });
      return WithId.parse(await answer.json()).result.data.id;
    };
  })
  /** A customer's server that keeps the headers of each delivery by its path. */
  .extend("customer", async ({ port: _ }, { onCleanup }) => {
    const headersByPath = new Map<string, IncomingHttpHeaders>();
    const server = createServer((request, response) => {
      headersByPath.set(request.url ?? "", request.headers);
      request.resume().once("end", () => response.end());
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    onCleanup(() => void server.close());
    const address = server.address();
    return { url: `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`, headersByPath };
  });

describe("with a collector", () => {
  traceTest(
    "a run is one trace with the request of its caller: request, run, engine, end",
    async ({ tracing, collector, call, worker: _, make, deps }) => {
      const owner = await make.owner();
      const parameters = [{ name: "city", displayName: "City", type: "string" as const, description: "" }];
      const query = await make.query(owner, "SELECT 'hush-in-sql' AS a, {{city}} AS b", { parameters });
      const id = await call(owner, "queries.run", { id: query.id, parameterValues: { city: "hush-value" } });
      const { signal } = new AbortController();
      for await (const _ of watchRun(deps, owner, { id, signal }));
      await vi.waitUntil(async () => {
        await tracing.flush();
        return collector.spans.some(({ name }) => name === "query run");
      });

      const find = (name: string) => collector.spans.find((span) => span.name === name);
      const request = find("POST /api/trpc/queries.run");
      expect(request).toMatchObject({ traceId: callersTrace, parentSpanId: "b7ad6b7169203331" });
      const root = ["query run", "POST /api/trpc/queries.run"];
      expect(collector.pathOf(find("engine duckdb"))).toEqual(["engine duckdb", ...root]);
      expect(collector.pathOf(find("query run completed"))).toEqual(["query run completed", ...root]);
      expect(find("query run")?.attributes).toMatchObject({ "querybell.run.id": id });
      expect(find("engine duckdb")?.attributes).toMatchObject({ "querybell.result.rows": 1 });

      const text = collector.received();
      for (const secret of ["hush", "SELECT", owner.email, "qb_"]) expect(text).not.toContain(secret);
    },
  );

  traceTest(
    "an automation's run, its queries, its event and the attempts are one trace, which an endpoint can continue",
    async ({ tracing, collector, call, worker: _, make, deps, customer }) => {
      const owner = await make.owner();
      const { organizationId } = owner;
      await deps.db.prisma.organization.update({
        where: { id: organizationId },
        data: { webhooksEnabled: true },
      });
      const addEndpoint = (path: string, settings: object) =>
        createEndpoint(
          deps,
          owner,
          CreateWebhookEndpoint.parse({
            url: `${customer.url}${path}`,
            eventTypes: ["automation.run.completed"],
            ...settings,
          }),
        );
      await addEndpoint("/plain", {});
      await addEndpoint("/traced", { sendsTraceparent: true });
      await addEndpoint("/own", { sendsTraceparent: true, headers: { Traceparent: "own" } });
      const automation = await make.automation(owner);
      const id = await call(owner, "automations.trigger", { id: automation.id });
      const { signal } = new AbortController();
      for await (const _ of watchChat(deps, owner, { id, signal }));
      const attempts = () => collector.spans.filter(({ name }) => name === "webhook attempt");
      await vi.waitUntil(async () => {
        await tracing.flush();
        return attempts().length === 3;
      });

      const root = ["automation run", "POST /api/trpc/automations.trigger"];
      for (const attempt of attempts()) {
        expect(collector.pathOf(attempt)).toEqual(["webhook attempt", "automation run completed", ...root]);
        expect(attempt.attributes).toMatchObject({ "querybell.attempt.outcome": "success" });
      }
      const engine = collector.spans.find(({ name }) => name === "engine duckdb");
      expect(collector.pathOf(engine)).toEqual(["engine duckdb", "query run", ...root]);
      expect(
        new Set(collector.spans.filter(({ name }) => !name.startsWith("job")).map(({ traceId }) => traceId)),
      ).toEqual(new Set([callersTrace]));

      const { headersByPath } = customer;
      expect(headersByPath.get("/plain")).not.toHaveProperty("traceparent");
      expect(headersByPath.get("/own")?.traceparent).toBe("own");
      const [, traceId, spanId] = headersByPath.get("/traced")?.traceparent?.toString().split("-") ?? [];
      expect(traceId).toBe(callersTrace);
      expect(attempts().map((attempt) => attempt.spanId)).toContain(spanId);
      expect(collector.received()).not.toContain(customer.url);
    },
  );
});

traceTest("without a collector no row has a trace", async ({ call, worker: _, make, deps }) => {
  const owner = await make.owner();
  const { id: queryId } = await make.query(owner, "SELECT 1 AS a");
  const id = await call(owner, "queries.run", { id: queryId });
  const { signal } = new AbortController();
  for await (const _ of watchRun(deps, owner, { id, signal }));
  await expect(deps.db.prisma.queryRun.findUniqueOrThrow({ where: { id } })).resolves.toMatchObject({
    status: "completed",
    traceContext: null,
  });
});
