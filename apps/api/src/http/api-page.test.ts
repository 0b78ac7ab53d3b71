import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { everyProcedure } from "../testing/every-procedure.ts";

const page = join(import.meta.dirname, "../../../../docs/api.md");
const row = /^\| `(?<path>\w+\.\w+)` \| (?<type>\w+) \| `?(?<who>[\w:]+)`? \| .+ \|$/gm;

test("the page about calling it lists every procedure, its kind and who may call it", async () => {
  const listed = [...(await readFile(page, "utf8")).matchAll(row)].map(({ groups }) => ({ ...groups }));
  const served = everyProcedure.map(({ path, type, access, scope }) => ({
    path,
    type,
    who: scope ?? (access === "public" ? "anybody" : access),
  }));
  expect(listed).toEqual(served);
});
