import { describe, expect } from "vitest";
import { z } from "zod";
import { apiTest as test } from "../testing/api-test.ts";

const nobody = "00000000-0000-7000-8000-000000000000";
const calls: [what: string, path: string, input: unknown, key: "valid" | "unknown" | "none"][] = [
  ["an answer", "keys.describe", {}, "valid"],
  ["an answer to no input", "queries.list", undefined, "valid"],
  ["what is not there", "queries.get", { id: nobody }, "valid"],
  ["an input that is wrong", "queries.get", { id: "five" }, "valid"],
  ["malformed text", "queries.get", { id: "\ud800" }, "valid"],
  ["a key that is unknown", "keys.describe", {}, "unknown"],
  ["nobody", "keys.describe", {}, "none"],
];

// tRPC's own handler answers several calls; a single one has a shorter way.
describe("a single call is answered as it is among several:", () => {
  for (const [what, path, input, which] of calls) {
    test(what, async ({ api, make, makeKey }) => {
      const keys = {
        valid: (await makeKey(await make.owner())).key,
        unknown: `qb_${"0".repeat(12)}_${"a".repeat(43)}`,
        none: "",
      };
      const key = keys[which];
      const ask = async (address: string) => {
        const headers = key === "" ? {} : { authorization: `Bearer ${key}` };
        const answer = await api.fetch(address, { headers });
        const named = ["content-type", "vary", "cache-control", "x-content-type-options"];
        return {
          status: answer.status,
          // The charset of JSON is always UTF-8, whether it is said or not.
          headers: named.map((name) => answer.headers.get(name)?.split(";")[0]),
          json: await answer.json(),
        };
      };
      const address = (paths: string, inputs: unknown, batch: string) =>
        `/api/trpc/${paths}?${batch}${inputs === undefined ? "" : `&input=${encodeURIComponent(JSON.stringify(inputs))}`}`;
      const alone = await ask(address(path, input, ""));
      const inBatch = await ask(address(path, input === undefined ? undefined : { 0: input }, "batch=1"));
      const twice = await ask(
        address(`${path},${path}`, input === undefined ? undefined : { 0: input, 1: input }, "batch=1"),
      );
      const [first] = z.array(z.unknown()).parse(twice.json);
      expect(inBatch).toEqual({ ...twice, json: [first] });
      expect(alone).toEqual({ ...twice, json: first });
    });
  }
});

test("a query that comes by POST, with an input too long for a URL, is answered as by GET", async ({
  api,
  make,
}) => {
  const owner = await make.owner();
  const { id } = await make.query(owner, "SELECT 1");
  const cookie = await api.sessionCookie(owner.email);
  const ask = async (parameterValues: object, headers: Record<string, string> = { origin: api.origin }) => {
    const init = { method: "POST", headers: { cookie, "content-type": "application/json", ...headers } };
    const body = JSON.stringify({ id, parameterValues });
    const answer = await api.fetch("/api/trpc/queries.result", { ...init, body });
    return answer.json();
  };
  const input = encodeURIComponent(JSON.stringify({ id, parameterValues: {} }));
  const byGet = await api.fetch(`/api/trpc/queries.result?input=${input}`, { headers: { cookie } });
  expect(await ask({})).toEqual(await byGet.json());
  const ids = Array.from({ length: 10_000 }, (_, at) => at).join();
  expect(await ask({ ids })).toMatchObject({ error: { data: { path: "queries.result" } } });
  expect(await ask({}, {})).toMatchObject({ error: { data: { reason: "cross_site_request" } } });
});
