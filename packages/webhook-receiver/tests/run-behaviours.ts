// Run by every runtime from the installed package: prints what failed, and which build the runtime chose.
import * as kit from "@querybell/webhook-receiver";
import { createTestSecret } from "@querybell/webhook-test-sender";
import { behaviours } from "./behaviours.ts";

const failures: string[] = [];
for (const [name, behaviour] of Object.entries(behaviours)) {
  try {
    await behaviour(kit);
  } catch (error) {
    failures.push(`${name}: ${error instanceof Error ? error.message : error}`);
  }
}
const build = "verifySync" in kit.createReceiver({ secrets: createTestSecret() }) ? "node" : "web";
console.log(JSON.stringify({ build, ran: Object.keys(behaviours).length, failures }));
