import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { webhook } from "@querybell/webhook-receiver/node";
import { handle, handleLater, later, onError, onRefused, receiver, release, say } from "./handling.ts";

const now = webhook(receiver, handle, { onRefused, onError });
const afterwards = webhook(receiver, handleLater, later);

const server = createServer(async (request, response) => {
  if (request.url === "/webhooks") return now(request, response);
  if (request.url === "/later") return afterwards(request, response);
  if (request.url === "/release") release();
  response.end(await text(request));
});
server.listen(0, "127.0.0.1", () => say({ address: server.address() }));
