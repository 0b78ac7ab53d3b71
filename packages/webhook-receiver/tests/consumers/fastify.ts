import { webhook } from "@querybell/webhook-receiver/fastify";
import fastify from "fastify";
import { handle, handleLater, later, onRefused, receiver, release, say } from "./handling.ts";

const app = fastify();
app.register(webhook(receiver, handle, { onRefused }), { prefix: "/webhooks" });
app.register(webhook(receiver, handleLater, later), { prefix: "/later" });
app.post("/echo", async (request) => request.body);
app.post("/release", async () => release());
app.setErrorHandler((error, _request, reply) => {
  say({ framework: String(error) });
  return reply.code(Object(error).statusCode ?? 500).send();
});
await app.listen({ host: "127.0.0.1", port: 0 });
say({ address: app.server.address() });
