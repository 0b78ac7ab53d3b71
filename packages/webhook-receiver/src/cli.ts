#!/usr/bin/env node
import { createRequire } from "node:module";
import { explain } from "./cli/explain.ts";
import { listen } from "./cli/listen.ts";
import { send } from "./cli/send.ts";
import { WebhookError } from "./lib/webhook-error.ts";

const usage = `Usage: webhook-receiver <command>

  listen [--port 4000] [--host 127.0.0.1]
      Prints verified deliveries as they come, and why others were refused.

  send --url <address> [--type automation.run.completed]
      Sends a signed sample event to a receiver.

  explain [file] [--at <time>]
      Reads a captured HTTP request (headers, an empty line, the body, in chunks or not) from a
      file or, without one or with -, from standard input, and says whether it verifies, and if
      not, why. --at is when it was received, as ISO 8601 or Unix seconds; without it, the time
      is not judged.

Every command takes --secret whsec_… (listen and explain several times), or reads the variable
WEBHOOK_SECRET, which keeps the secret out of the shell's history. --version prints the version.
Exit status: 0 if it went well, 1 if something was refused, 2 if it could not be tried.`;

const commands = new Map([
  ["listen", listen],
  ["send", send],
  ["explain", explain],
]);

const [name = "", ...args] = process.argv.slice(2);
const command = commands.get(name);
const helpFlags = ["--help", "-h"];

if (name === "--version" || name === "-v") {
  // By the package's name, because the relative path is different when this runs from source.
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
