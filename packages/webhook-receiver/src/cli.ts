#!/usr/bin/env node
import { explain } from "./cli/explain.ts";
import { listen } from "./cli/listen.ts";
import { send } from "./cli/send.ts";
import { usage } from "./cli/usage.ts";
import { WebhookError } from "./lib/webhook-error.ts";

const commands = new Map([
  ["listen", listen],
  ["send", send],
  ["explain", explain],
]);

const [name = "", ...args] = process.argv.slice(2);
const command = commands.get(name);

if (command) {
  try {
    process.exitCode = await command(args);
  } catch (error) {
    if (error instanceof WebhookError) console.error(`${error.code}: ${error.message} ${error.hint}`);
    else console.error(error instanceof Error ? error.message : error);
    process.exitCode = 2;
  }
} else {
  const asked = ["help", "--help", "-h"].includes(name);
  (asked ? console.log : console.error)(usage);
  process.exitCode = asked ? 0 : 2;
}
