import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { toApiError } from "./api-error.ts";
import { uploadFile } from "./upload-file.ts";

/** Answers every request with the status and body, and remembers what was sent. */
async function startServer(status: number, body: unknown) {
  const sent: { url: string | undefined; authorization: string | undefined; content: string }[] = [];
  const server = createServer(async (request, response) => {
    const { authorization } = request.headers;
    sent.push({ url: request.url, authorization, content: await text(request) });
    response.writeHead(status, { "retry-after": "3" }).end(JSON.stringify(body));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/`, sent, [Symbol.asyncDispose]: async () => void server.close() };
}

test("a file is sent as it is, with its name, its table and the key", async () => {
  await using server = await startServer(201, { name: "sales", rowCount: 1 });
  const content = new Blob(["id\n1\n"]).stream();
  const options = { url: server.url, apiKey: "qb_key" };
  const table = await uploadFile(options, { name: "a b.csv", content, table: "sales", mode: "append" });
  expect(table).toMatchObject({ name: "sales", rowCount: 1 });
  expect(server.sent).toEqual([
    {
      url: "/api/uploads?name=a+b.csv&table=sales&mode=append",
      authorization: "Bearer qb_key",
      content: "id\n1\n",
    },
  ]);
});

test("the address may have a path, as for every call", async () => {
  await using server = await startServer(201, {});
  await uploadFile({ url: `${server.url}querybell/` }, { name: "a.csv", content: "x" });
  expect(server.sent.map(({ url }) => url)).toEqual(["/querybell/api/uploads?name=a.csv"]);
});

test("an empty key is refused before anything is sent", async () => {
  await using server = await startServer(201, {});
  const sent = uploadFile({ url: server.url, apiKey: "" }, { name: "a.csv", content: "x" });
  await expect(sent).rejects.toThrow("apiKey is empty.");
  expect(server.sent).toEqual([]);
});

test("a refusal is read like that of any call", async () => {
  await using server = await startServer(422, { code: "upload_unreadable", detail: "Line 3 has 2 values." });
  const refused = await uploadFile({ url: server.url }, { name: "a.csv", content: "x" }).catch(toApiError);
  expect(refused).toEqual({
    reason: "upload_unreadable",
    status: 422,
    message: "Line 3 has 2 values.",
    errors: [],
    retryAfterSeconds: 3,
  });
});
