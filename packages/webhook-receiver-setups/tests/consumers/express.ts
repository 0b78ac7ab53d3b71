import { keepRawBody, webhook } from "@querybell/webhook-receiver/express";
import express, { type ErrorRequestHandler } from "express";
import * as handling from "./handling.ts";

const { handle, onRefused, receiver, say } = handling;
const app = express();
app.post("/webhooks", webhook(receiver, handle, { onRefused }));
// Whoever gets past the webhook is answered 200, as by a page that takes every path.
app.post("/webhooks", (_, response) => void response.end());
app.post("/later", webhook(receiver, handling.handleLater, handling.later));
app.post("/failing", webhook(receiver, handle, handling.failing));
app.use("/left", (_, response, next) => {
  response.once("close", handling.clientLeft);
  next();
});
app.post("/left", webhook(handling.slowReceiver, handle, handling.later));
app.post("/raw", express.raw({ type: "*/*" }), webhook(receiver, handle, { onRefused }));
// So small a limit that it would refuse every delivery, in its own words.
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
  say({ framework: String(error) });
  response.status(500).end();
};
app.use(onFailure);
const server = app.listen(0, "127.0.0.1", () => say({ address: server.address() }));
