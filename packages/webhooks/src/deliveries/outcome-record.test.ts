import { expect } from "vitest";
import { pumpTest } from "../testing/pump-test.ts";

const answers = [
  { status: 200, text: "", body: Buffer.from("ok") },
  { status: 200, text: "plain", body: Buffer.alloc(0) },
  { status: 200, text: 'a "quoted" \\ back\\\\slash', body: Buffer.from('{"a":"\\"\\\\"}') },
  { status: 500, text: "{NULL,null}", body: Buffer.from("NULL") },
  { status: 302, text: "tab\there, comma", body: Buffer.from("é 日本 \u{1f600}") },
  { status: 404, text: "\\x00", body: Buffer.from([0, 255, 34, 92, 123, 125, 10, 13]) },
  { status: 200, text: "every byte", body: Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)) },
];

pumpTest("the log has the response of an endpoint exactly as received, byte by byte", async ({ hooks }) => {
  const owner = await hooks.owner();
  let next = 0;
  const receiver = await hooks.receiver((response) => {
    const { status, text, body } = answers[next++ % answers.length] ?? { status: 0, text: "", body: "" };
    response.writeHead(status, { "x-said": text, location: "https://example.test/\"'\\,{}" }).end(body);
  });
  const { id: endpointId } = await hooks.endpoint(owner, receiver.url, { maxInFlight: 1 });
  for (const _ of answers) await hooks.emit(owner);
  const pump = await hooks.pump();
  await pump.drain();
  const attempts = (await hooks.deliveries({ endpointId })).flatMap((delivery) => delivery.attempts);
  const logged = attempts.map(({ status, responseHeaders, responseBody }) => ({
    status,
    text: Object(responseHeaders)["x-said"],
    body: Buffer.from(responseBody ?? []),
  }));
  const byStatusAndText = (one: { status: number | null; text: string }) => `${one.status} ${one.text}`;
  expect(logged.sort((a, b) => byStatusAndText(a).localeCompare(byStatusAndText(b)))).toEqual(
    answers.toSorted((a, b) => byStatusAndText(a).localeCompare(byStatusAndText(b))),
  );
});
