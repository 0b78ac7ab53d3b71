import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { webhook } from "@querybell/webhook-receiver/node";
import * as handling from "./handling.ts";

const { handle, onError, onRefused, receiver, report } = handling;
const now = webhook(receiver, handle, { onRefused, onError });
const afterwards = webhook(receiver, handling.handleLater, handling.later);
const failing = webhook(receiver, handle, handling.failing);
const slowWebhook = webhook(handling.slowReceiver, handle, handling.later);

const server = createServer(async (request, response) => {
  if (request.url === "/webhooks") return now(request, response);
  if (request.url === "/later") return afterwards(request, response);
  if (request.url === "/failing") return failing(request, response);
  if (request.url === "/disconnected") {
    response.once("close", handling.clientDisconnected);
    return slowWebhook(request, response);
  }
  if (request.url === "/timed-out") {
    const answered = now(request, response);
    response.writeHead(503).end();
    return answered;
  }
  if (request.url === "/release") handling.release();
  response.end(await text(request));
});
server.listen(0, "127.0.0.1", () => report({ address: server.address() }));
