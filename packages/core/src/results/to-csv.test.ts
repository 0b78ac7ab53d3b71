import { createGunzip, gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { longestBlock, maxBlockMs } from "../testing/longest-block.ts";
import { toCsv } from "./to-csv.ts";

test("a row of 16 MB is converted to CSV without blocking the event loop", async () => {
  const fields = ["n", "numbers", "text", "nothing"].map((name) => ({ name, type: "json" }));
  const numbers = `[${"1,".repeat(4_000_000)}1]`;
  const text = `a "quote",\n${"ä😀".repeat(1_000_000)}`;
  const large = `[1,${numbers},${JSON.stringify(text)},null]`;
  const json = `{"fields":${JSON.stringify(fields)},"rows":[[0,[],"",null],${large},[2,[],"b",null]],"rowCount":3}`;
  const stored = gzipSync(json);
  let written: string[] = [];
  const blockedMs = await longestBlock(async () => {
    const inflated = createGunzip();
    inflated.end(stored);
    written = [];
    for await (const piece of toCsv(inflated)) written.push(piece);
  });
  const quoted = `"${text.replaceAll('"', '""')}"`;
  const lines = ["n,numbers,text,nothing", '0,[],"",', `1,"${numbers}",${quoted},`, "2,[],b,", ""];
  expect(written.join("") === lines.join("\r\n")).toBe(true);
  expect(blockedMs).toBeLessThan(maxBlockMs);
});
