// Verifies the webhook deliveries that Querybell sends, and prints them. Put your own work in place of `print`.
import { createServer } from "node:http";
import { memoryDedupe } from "@querybell/webhook-receiver/memory";
import { createReceiver, webhook } from "@querybell/webhook-receiver/node";

const { PORT = "3000", WEBHOOK_SECRET = "" } = process.env;

const receiver = createReceiver({
  // During a rotation there are two secrets, the old and the new one, separated by a comma.
  secrets: WEBHOOK_SECRET.split(","),
  // Deliveries arrive at least once; this remembers the handled ones. Several processes share them with `/postgres`.
  dedupe: memoryDedupe(),
});

/** @param {import("@querybell/webhook-receiver").Delivery} delivery */
function print(delivery) {
  const { type, data } = delivery.event();
  // JSON escapes control characters, so an event cannot control the terminal.
  console.log(`verified ${delivery.id} ${JSON.stringify(type)} ${JSON.stringify(data)}`);
}

const listener = webhook(receiver, print, {
  onRefused: ({ code, message, hint }) => console.log(`refused ${code}: ${message} ${hint}`),
});

createServer(listener).listen(Number(PORT), "127.0.0.1", () => {
  console.log(`Listening on http://127.0.0.1:${PORT}`);
});
