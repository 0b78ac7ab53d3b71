import { deliveryTest } from "@querybell/core/testing/delivery-test";
import { Registry } from "prom-client";
import { expect } from "vitest";
import { createDeliveryMetrics } from "./delivery-metrics.ts";

deliveryTest("metrics have current values from the first request on", async ({ hooks, deps, clock }) => {
  const registry = new Registry();
  createDeliveryMetrics(deps, registry);
  const owner = await hooks.owner();
  await hooks.endpoint(owner, "http://127.0.0.1:9/");
  await hooks.emit(owner);
  await clock.advance(90_000);
  const metrics = await registry.metrics();
  expect(metrics).toContain('querybell_webhook_deliveries{state="due"} 1');
  expect(metrics).toContain("querybell_webhook_oldest_due_seconds 90\n");
});
