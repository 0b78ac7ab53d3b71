import { once } from "node:events";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { expect } from "vitest";
import { type Api, apiTest } from "../testing/api-test.ts";

async function answerTo({ url }: Pick<Api, "url">, request: string): Promise<string> {
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  await once(socket, "connect");
  socket.write(request);
  return text(socket);
}

apiTest.for<[string, string, number, string]>([
  ["that is not HTTP", "hello\r\n\r\n", 400, "invalid_request"],
  ["with an invalid header", "GET / HTTP/1.1\r\nhost: x\r\na b: c\r\n\r\n", 400, "invalid_request"],
  ["with a long address", `GET /${"a".repeat(20_000)} HTTP/1.1\r\nhost: x\r\n\r\n`, 413, "payload_too_large"],
  [
    "with an input that is too long for an address",
    `GET /api/trpc/search.find?input=${"a".repeat(20_000)} HTTP/1.1\r\nhost: x\r\n\r\n`,
    413,
    "payload_too_large",
  ],
])("a request %s is refused as any other: with a problem", async ([_, request, status, code], { api }) => {
  const [head = "", body = ""] = (await answerTo(api, request)).split("\r\n\r\n");
  expect(head).toMatch(/^HTTP\/1\.1 \d+ .*\r\nContent-Type: application\/problem\+json\r\n/);
  expect(JSON.parse(body)).toMatchObject({ status, code, detail: expect.stringMatching(/\w \w.*\.$/) });
  expect(head).toContain(`HTTP/1.1 ${status} `);
});

apiTest("the answer to a HEAD request that is refused so has no body", async ({ api }) => {
  const answer = await answerTo(api, `HEAD /${"a".repeat(20_000)} HTTP/1.1\r\nhost: x\r\n\r\n`);
  expect(answer).toMatch(/^HTTP\/1\.1 413 .*\r\n\r\n$/s);
});

apiTest("an expectation that HTTP does not know is ignored", async ({ api }) => {
  const request = "GET /api/key HTTP/1.1\r\nhost: x\r\nexpect: 200-ok\r\nconnection: close\r\n\r\n";
  expect(await answerTo(api, request)).toMatch(/^HTTP\/1\.1 401 .*"code":"unauthorized"/s);
});

apiTest("a procedure cannot be traced", async ({ api }) => {
  const answer = await answerTo(
    api,
    "TRACE /api/trpc/me.get HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n",
  );
  expect(answer).toMatch(/^HTTP\/1\.1 405 .*"reason":"method_not_allowed"/s);
});
