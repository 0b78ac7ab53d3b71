import { excelOf, rowsOf } from "@querybell/engines/testing/excel-file";
import { describe, expect, test } from "vitest";
import { createUploadWorkspace, importOf } from "./testing/upload-workspace.ts";

describe("a table remembers the line with the names, which", () => {
  const namesBefore = { header: 3, columns: ["id", "name"] };
  const titled = "Report\n\nid,name\n1,Ann\n2,Ben\n";
  const plain = "id,name\n1,Ann\n2,Ben\n3,Cid\n4,Dan\n";
  const excel = (text: string) =>
    excelOf({ sheets: { Data: rowsOf(...text.split("\n").map((line) => (line ? line.split(",") : []))) } });

  test.for<[string, string, { header: number; hasNamesAsBefore: boolean; rows: number }]>([
    ["is used for a file that has them there", titled, { header: 3, hasNamesAsBefore: true, rows: 2 }],
    [
      "is used if a column is new",
      titled.replace("id,name", "ID,name,x").replaceAll("n\n", "n,1\n"),
      { header: 3, hasNamesAsBefore: true, rows: 2 },
    ],
    ["is not used for a file that begins with them", plain, { header: 1, hasNamesAsBefore: false, rows: 4 }],
    [
      "is not used for a file that has them twice",
      "id,name\n1,Ann\nid,name\n2,Ben\n",
      { header: 1, hasNamesAsBefore: false, rows: 3 },
    ],
    [
      "is not used for a file with other names",
      "a,b\nx,y\nz,w\n",
      { header: 1, hasNamesAsBefore: false, rows: 2 },
    ],
  ])("%s", async ([, content, { header, hasNamesAsBefore, rows }]) => {
    using space = createUploadWorkspace();
    for (const file of [space.file(content), space.file(excel(content), "excel")]) {
      const outcome = await space.preview(file, {}, { namesBefore });
      expect(outcome).toMatchObject({ preview: { reading: { header }, hasNamesAsBefore } });
      expect(outcome.kind === "previewed" && outcome.preview.rows).toHaveLength(rows);
      expect(await space.change(importOf(file, { mode: "replace", namesBefore }))).toMatchObject({
        changed: { table: { rowCount: rows }, hasNamesAsBefore },
      });
    }
  });

  test("gives way to one that is asked for", async () => {
    using space = createUploadWorkspace();
    const reading = { header: 1 };
    expect(await space.preview(space.file(plain), {}, { namesBefore, reading })).toMatchObject({
      preview: { reading, hasNamesAsBefore: false },
    });
  });
});

describe("a file that cannot be read tells what can be tried:", () => {
  test.for<[string, string, number | undefined]>([
    ["titles above the names", "Report\nfor March, 2024\n\nid,name,v\n1,Ann,2\n2,Ben,3\n", 4],
    ["a title, and decimal commas", "Report\n\nid;v\n1;1,5\n2;2,5\n", 3],
    ["a short line", "a,b\n1,2\n3\n", undefined],
  ])("%s", async ([, content, suggestedHeader]) => {
    using space = createUploadWorkspace();
    const outcome = await space.preview(space.file(content));
    expect(outcome).toMatchObject({
      refusal: {
        message: expect.stringMatching(
          /^Line \d has \d values?, but the first line names \d columns?\. Correct/,
        ),
        found: { reading: { encoding: "utf-8", header: 1 }, sheets: [] },
      },
    });
    if (outcome.kind !== "refused") return;
    expect(outcome.refusal.found?.suggestedHeader).toBe(suggestedHeader);
    expect(/Or read it with header (\d)/.exec(outcome.refusal.message)?.[1]).toBe(
      suggestedHeader?.toString(),
    );
  });

  test("the sheets, where the first has no table", async () => {
    using space = createUploadWorkspace();
    const sheets = { Cover: rowsOf(["Report"]), Data: rowsOf(["v"], [1]) };
    expect(await space.preview(space.file(excelOf({ sheets }), "excel"))).toMatchObject({
      refusal: {
        message:
          "The sheet Cover has no rows with values below the names of its columns. Choose another sheet (Data), or another row of names (header).",
        found: { reading: { sheet: "Cover", header: 1 }, sheets: ["Cover", "Data"] },
      },
    });
    const reading = { sheet: "Old" };
    expect(await space.preview(space.file(excelOf({ sheets }), "excel"), {}, { reading })).toMatchObject({
      refusal: {
        message: "The file has no sheet Old. It has: Cover, Data.",
        found: { reading, sheets: ["Cover", "Data"] },
      },
    });
  });
});
