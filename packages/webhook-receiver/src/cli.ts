#!/usr/bin/env node
import { createRequire } from "node:module";
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
const helpFlags = ["--help", "-h"];

if (name === "--version" || name === "-v") {
  // By its own name: the file lies elsewhere when this runs from source.
  console.log(createRequire(import.meta.url)("@querybell/webhook-receiver/package.json").version);
} else if (command && !args.some((arg) => helpFlags.includes(arg))) {
  try {
    process.exitCode = await command(args);
  } catch (error) {
    if (error instanceof WebhookError) console.error(`${error.code}: ${error.message} ${error.hint}`);
    else console.error(error instanceof Error ? error.message : error);
    process.exitCode = 2;
  }
} else {
  const asked = command !== undefined || ["help", ...helpFlags].includes(name);
  if (!asked && name !== "") console.error(`There is no command ${JSON.stringify(name)}.\n`);
  (asked ? console.log : console.error)(usage);
  process.exitCode = asked ? 0 : 2;
}
