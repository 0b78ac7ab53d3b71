import { deleteAutomation } from "@querybell/core/automations";
import { dbTest } from "@querybell/core/testing";
import { disableEndpoint, listEndpoints } from "@querybell/core/webhooks";
import type { Caller } from "@querybell/domain";
import { expect } from "vitest";
import { closingMessage } from "./closing-message.ts";
import { seedDemo } from "./demo/seed-demo.ts";

dbTest(
  "after the demo's automation was deleted and its receiver disabled, a start says so, and triggers neither",
  async ({ deps, duckdbFolder }) => {
    const places = { duckdbFolder, receiverUrl: "http://127.0.0.1:9/", key: undefined };
    const first = await seedDemo(deps, places);
    if (!first?.automation) return expect.unreachable("There is no demo.");
    const { organizationId, userId } = await deps.db.prisma.member.findFirstOrThrow();
    const owner: Caller = { organizationId, userId, role: "owner", via: { kind: "session", sessionId: "" } };
    await deleteAutomation(deps, owner, first.automation);
    const endpoints = await listEndpoints(deps, owner);
    const receiver = endpoints.find(({ description }) => description.includes("example receiver"));
    await disableEndpoint(deps, owner, { id: receiver?.id ?? "" });

    const demo = await seedDemo(deps, { ...places, key: first.key });
    const message = closingMessage({ url: "http://localhost:4000", demo, logFolder: "", isolation: "" });
    expect(message).toMatch(/nothing arrives at examples\/receiver[\s\S]*automation was deleted/);
    expect(message).not.toContain("sends a test event");
  },
);
