import { serve } from "@hono/node-server";
import { webhook } from "@querybell/webhook-receiver/hono";
import { Hono } from "hono";
import { handle, handleLater, later, onRefused, receiver, release, say } from "./handling.ts";

const app = new Hono();
app.post("/webhooks", webhook(receiver, handle, { onRefused }));
app.post("/later", webhook(receiver, handleLater, later));
app.use("/read/*", async (context, next) => {
  await context.req.arrayBuffer();
  await next();
});
app.post("/read/webhooks", webhook(receiver, handle, { onRefused }));
app.post("/echo", async (context) => context.json(await context.req.json()));
app.post("/release", (context) => {
  release();
  return context.body(null);
});
app.onError((error, context) => {
  say({ framework: String(error) });
  return context.body(null, 500);
});
serve({ fetch: app.fetch, hostname: "127.0.0.1", port: 0 }, (address) => say({ address }));
