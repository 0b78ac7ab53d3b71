import { keepRawBody, webhook } from "@querybell/webhook-receiver/express";
import express, { type ErrorRequestHandler } from "express";
import { handle, handleLater, later, onRefused, receiver, release, say } from "./handling.ts";

const app = express();
app.post("/webhooks", webhook(receiver, handle, { onRefused }));
app.post("/later", webhook(receiver, handleLater, later));
app.use("/kept", keepRawBody("/kept/webhooks", express.json()));
app.post("/kept/webhooks", webhook(receiver, handle, { onRefused }));
app.post("/raw", express.raw({ type: "*/*" }), webhook(receiver, handle, { onRefused }));
app.use(express.json());
app.post("/parsed", webhook(receiver, handle, { onRefused }));
app.post("/echo", (request, response) => void response.json(request.body));
app.post("/release", (_, response) => {
  release();
  response.end();
});
const onFailure: ErrorRequestHandler = (error, _request, response, _next) => {
  say({ framework: String(error) });
  response.status(500).end();
};
app.use(onFailure);
const server = app.listen(0, "127.0.0.1", () => say({ address: server.address() }));
