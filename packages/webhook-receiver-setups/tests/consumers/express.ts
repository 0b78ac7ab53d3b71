import { keepRawBody, webhook } from "@querybell/webhook-receiver/express";
import express, { type ErrorRequestHandler } from "express";
import * as handling from "./handling.ts";

const { handle, onRefused, receiver, report } = handling;
const app = express();
app.post("/webhooks", webhook(receiver, handle, { onRefused }));
// A request that passes the webhook is answered 200, as a catch-all page would do.
app.post("/webhooks", (_, response) => void response.end());
app.post("/later", webhook(receiver, handling.handleLater, handling.later));
app.post("/failing", webhook(receiver, handle, handling.failing));
app.use("/disconnected", (_, response, next) => {
  response.once("close", handling.clientDisconnected);
  next();
});
app.post("/disconnected", webhook(handling.slowReceiver, handle, handling.later));
app.post("/raw", express.raw({ type: "*/*" }), webhook(receiver, handle, { onRefused }));
// A limit so small that Express itself would refuse every delivery.
app.use("/kept", keepRawBody("/kept/webhooks", express.json({ limit: 10 })));
app.post("/kept/webhooks", webhook(receiver, handle, { onRefused }));
app.post("/kept/echo", (request, response) => void response.json(request.body));
app.use(express.json());
app.post("/parsed", webhook(receiver, handle, { onRefused }));
app.post("/echo", (request, response) => void response.json(request.body));
app.post("/release", (_, response) => {
  handling.release();
  response.end();
});
const onFailure: ErrorRequestHandler = (error, _request, response, _next) => {
  report({ framework: String(error) });
  response.status(500).end();
};
app.use(onFailure);
const server = app.listen(0, "127.0.0.1", () => report({ address: server.address() }));
