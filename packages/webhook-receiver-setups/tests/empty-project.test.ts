import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, inject } from "vitest";
import { serviceTest } from "./service-test.ts";
import { startReceiver } from "./start-receiver.ts";

const program = (load: (path: string) => string) => `
  const { createServer } = ${load("node:http")};
  const { createReceiver, webhook } = ${load("@querybell/webhook-receiver/node")};
  const receiver = createReceiver({ secrets: process.env.WEBHOOK_SECRET });
  const report = (line) => console.log(JSON.stringify(line));
  const server = createServer(webhook(receiver, (delivery) => report({ handled: delivery.id, ...delivery.event() })));
  server.listen(0, "127.0.0.1", () => report(server.address()));`;

describe("installed in a project that has nothing else", () => {
  serviceTest.for([
    ["ESM", "mjs", program((path) => `await import("${path}")`)],
    ["CommonJS", "cjs", program((path) => `require("${path}")`)],
  ] as const)(
    "the kit as %s verifies a delivery from our own worker",
    async ([, extension, source], { newCustomer }) => {
      const cwd = join(inject("emptyProject"), `receiving-${extension}`);
      await mkdir(cwd);
      await writeFile(join(cwd, `main.${extension}`), source);
      const customer = await newCustomer();
      await using started = await startReceiver([`main.${extension}`], { cwd, ...customer });
      const { eventId, states } = await customer.receiveAt(started.url);
      expect(states).toEqual(["succeeded"]);
      await started.waitForLine({ handled: eventId, type: "automation.run.completed", known: true });
    },
  );
});
