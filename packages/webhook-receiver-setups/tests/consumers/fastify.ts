import { webhook } from "@querybell/webhook-receiver/fastify";
import fastify from "fastify";
import * as handling from "./handling.ts";

const { handle, onRefused, receiver, report } = handling;
const app = fastify();
app.register(webhook(receiver, handle, { onRefused }), { prefix: "/webhooks" });
app.register(webhook(receiver, handling.handleLater, handling.later), { prefix: "/later" });
app.register(webhook(receiver, handle, handling.failing), { prefix: "/failing" });
app.addHook("onRequest", async ({ url }, reply) => {
  if (url === "/disconnected") reply.raw.once("close", handling.clientDisconnected);
});
app.register(webhook(handling.slowReceiver, handle, handling.later), { prefix: "/disconnected" });
app.post("/echo", async (request) => request.body);
app.post("/release", async () => handling.release());
app.setErrorHandler((error, _request, reply) => {
  report({ framework: String(error) });
  const { statusCode } = Object(error);
  return reply.code(statusCode >= 400 ? statusCode : 500).send();
});
await app.listen({ host: "127.0.0.1", port: 0 });
report({ address: app.server.address() });
