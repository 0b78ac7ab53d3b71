import { createReceiver } from "@querybell/webhook-receiver";
import { webhook } from "@querybell/webhook-receiver/next";

export const runtime = "edge";

const receiver = createReceiver({ secrets: process.env.WEBHOOK_SECRET });

export const POST = webhook(receiver, (delivery) => console.log(JSON.stringify({ handled: delivery.id })), {
  onRefused: ({ code, hint }) => console.log(JSON.stringify({ edge: code, hint })),
});
