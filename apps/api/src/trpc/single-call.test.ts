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
