import kit = require("@querybell/webhook-receiver");
import node = require("@querybell/webhook-receiver/node");
import express = require("@querybell/webhook-receiver/express");
import memory = require("@querybell/webhook-receiver/memory");
import events = require("@querybell/webhook-receiver/events");

const receiver: kit.Receiver = kit.createReceiver({
  secrets: process.env.WEBHOOK_SECRET,
  dedupe: memory.memoryDedupe(),
});
const handler: kit.DeliveryHandler = (delivery) =>
  events.isEvent(delivery.event(), "automation.rows.changed") ? "rows" : delivery.id;

export = {
  route: express.webhook(receiver, handler),
  listener: node.webhook(node.createReceiver({ secrets: "" }), handler),
};
