import { type HttpBindings, serve } from "@hono/node-server";
import { webhook } from "@querybell/webhook-receiver/hono";
import { Hono } from "hono";
import * as handling from "./handling.ts";

const { handle, onRefused, receiver, report } = handling;
const app = new Hono<{ Bindings: HttpBindings }>();
app.post("/webhooks", webhook(receiver, handle, { onRefused }));
app.post("/later", webhook(receiver, handling.handleLater, handling.later));
app.post("/failing", webhook(receiver, handle, handling.failing));
app.use("/disconnected", async (context, next) => {
  context.env.outgoing.once("close", handling.clientDisconnected);
  await next();
});
app.post("/disconnected", webhook(handling.slowReceiver, handle, handling.later));
app.use("/read/*", async (context, next) => {
  await context.req.arrayBuffer();
  await next();
});
app.post("/read/webhooks", webhook(receiver, handle, { onRefused }));
app.use("/used/*", async (context, next) => {
  await context.req.raw.text();
  await next();
});
app.post("/used/webhooks", webhook(receiver, handle, { onRefused }));
app.post("/echo", async (context) => context.json(await context.req.json()));
app.post("/release", (context) => {
  handling.release();
  return context.body(null);
});
app.onError((error, context) => {
  report({ framework: String(error) });
  return context.body(null, 500);
});
serve({ fetch: app.fetch, hostname: "127.0.0.1", port: 0 }, (address) => report({ address }));
