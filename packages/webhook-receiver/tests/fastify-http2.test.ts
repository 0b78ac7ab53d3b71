import { connect } from "node:http2";
import { buffer } from "node:stream/consumers";
import { createTestSecret, signedHeaders } from "@querybell/webhook-test-sender";
import fastify from "fastify";
import { expect, test } from "vitest";
import { webhook } from "../src/fastify.ts";
import { createReceiver } from "../src/index.node.ts";

test("Fastify on HTTP/2, where a body needs no length, is verified and answered as ever", async () => {
  const secret = createTestSecret();
  const receiver = createReceiver({ secrets: secret });
  const handled = Promise.withResolvers<string>();
  await using app = fastify({ http2: true });
  app.register(
    webhook(receiver, ({ id }) => handled.resolve(id), { answer: "before-handler" }),
    { prefix: "/webhooks" },
  );
  const session = connect(await app.listen({ host: "127.0.0.1", port: 0 }));
  const headers = signedHeaders({ secret, body: "{}", id: "event-1" });
  const stream = session.request({ ":method": "POST", ":path": "/webhooks", ...headers });
  stream.end("{}");
  expect((await buffer(stream)).toString()).toBe('{"code":"accepted"}');
  expect(await handled.promise).toBe("event-1");
  session.close();
});
