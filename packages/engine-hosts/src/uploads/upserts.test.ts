import { join } from "node:path";
import { expect, test } from "vitest";
import { createUploadWorkspace, importOf } from "./testing/upload-workspace.ts";

const upsert = (key: string[]) => ({ mode: "upsert", key }) as const;

test("an upsert changes the rows with the same key, adds the others and keeps the rest", async () => {
  using space = createUploadWorkspace();
  // The first one makes the table.
  await space.change(importOf(space.file("id,name,v\n1,a,1.5\n2,b,\n3,c,0\n"), upsert(["id"])));
  const file = space.file("ID,v,name\n2,2.5,b\n3,-0,c\n4,,d\n");
  const update = {
    added: 1,
    changed: 2,
    unchanged: 0,
    kept: 1,
    samples: [
      { key: ["2"], column: "v", before: null, after: "2.5" },
      { key: ["3"], column: "v", before: "0.0", after: "-0.0" },
    ],
  };
  const database = join(space.workspace, "uploads.duckdb");
  const previewed = await space.preview(file, {}, { upsert: { database, table: "SALES", key: ["ID"] } });
  expect(previewed).toMatchObject({ preview: { update } });
  expect(await space.change(importOf(file, upsert(["id"])))).toMatchObject({
    changed: { update, table: { rowCount: 4 } },
  });
  const rows = [
    ["1", "a", "1.5"],
    ["2", "b", "2.5"],
    ["3", "c", "-0.0"],
    ["4", "d", null],
  ];
  expect(await space.read("SELECT CAST(COLUMNS(*) AS VARCHAR) FROM sales ORDER BY id")).toEqual(rows);
  // Again, it changes nothing.
  expect(await space.change(importOf(file, upsert(["id"])))).toMatchObject({
    changed: { update: { added: 0, changed: 0, unchanged: 3, kept: 1, samples: [] } },
  });
  expect(await space.read("SELECT CAST(COLUMNS(*) AS VARCHAR) FROM sales ORDER BY id")).toEqual(rows);
});

test("values with a zero are changed, and shown without it", async () => {
  using space = createUploadWorkspace();
  await space.change(importOf(space.file("id,v\na\0,x\0y\n")));
  const samples = [{ key: ["a"], column: "v", before: "xy", after: "xz" }];
  expect(await space.change(importOf(space.file("id,v\na\0,x\0z\n"), upsert(["id"])))).toMatchObject({
    changed: { update: { changed: 1, samples } },
  });
  expect(await space.read("SELECT v FROM sales")).toEqual([["x\0z"]]);
});

test("a key may have several columns, or all of them", async () => {
  using space = createUploadWorkspace();
  await space.change(importOf(space.file("day,shop,n\n2024-01-01,a,1\n2024-01-01,b,2\n")));
  const file = space.file("day,shop,n\n2024-01-01,b,3\n2024-01-02,a,4\n");
  expect(await space.change(importOf(file, upsert(["day", "shop"])))).toMatchObject({
    changed: { update: { added: 1, changed: 1, unchanged: 0, kept: 1 } },
  });
  expect(await space.change(importOf(file, upsert(["n", "day", "shop"])))).toMatchObject({
    changed: { update: { added: 0, changed: 0, unchanged: 2, kept: 1 }, table: { rowCount: 3 } },
  });
});

test.for([
  [
    "a key twice in the file",
    "id,v\n1,a\n1,b\n",
    ["id"],
    /^The file has 2 rows with the key id = 1 \(line 2 and line 3\)\./,
  ],
  [
    "a row without a key",
    "id,v\n1,a\n,b\n",
    ["id"],
    /^The file has a row without a value in its key, id \(line 3\)/,
  ],
  ["a key twice in the table", "id,v\n9,y\n", ["v"], /^The table sales has 2 rows with the key v = x\./],
  ["an unknown column", "id,v\n1,a\n", ["no"], /^The table sales has no column no\./],
  ["a missing column", "id\n1\n", ["id"], /^The file has no column v, which the table sales has/],
  [
    "a value of another type",
    "id,v\nx,a\n",
    ["id"],
    /^Line 2: “x” in the column id cannot be stored exactly as BIGINT/,
  ],
] as const)("%s is refused, and the preview says so", async ([_, content, key, message]) => {
  using space = createUploadWorkspace();
  await space.change(importOf(space.file("id,v\n1,x\n2,x\n3,z\n")));
  const file = space.file(content);
  const refusal = expect.stringMatching(message);
  const database = join(space.workspace, "uploads.duckdb");
  const target = { upsert: { database, table: "sales", key: [...key] } };
  expect(await space.preview(file, {}, target)).toMatchObject({ preview: { updateRefusal: refusal } });
  expect(await space.change(importOf(file, upsert([...key])))).toMatchObject({
    kind: "refused",
    refusal: { message: refusal },
  });
});

test("the first upsert names the lines of a key that is there twice", async () => {
  using space = createUploadWorkspace();
  const file = space.file("id,v\n1,a\n2,b\n3,c\n2,d\n2,e\n");
  expect(await space.change(importOf(file, upsert(["id"])))).toMatchObject({
    kind: "refused",
    refusal: {
      message: expect.stringMatching(/^The file has 3 rows with the key id = 2 \(line 3 and line 5\)\./),
    },
  });
});

test("numbers with another unit than those of the table are refused", async () => {
  using space = createUploadWorkspace();
  const reading = { numbers: { v: "1.234,56" } } as const;
  const change = (content: string, mode: "create" | "append" | "upsert" | "replace") =>
    space.change(importOf(space.file(content), { mode, key: ["id"], reading }));
  await change("id;v\n1;5,00 €\n", "create");
  const refused = (message: RegExp) => ({
    kind: "refused",
    refusal: { message: expect.stringMatching(message) },
  });
  for (const name of ["v", "V"]) {
    expect(await change(`id;${name}\n2;5,00 $\n`, "append")).toMatchObject(
      refused(/^The values of the column v have the unit \$, but those of the table sales came with €\./),
    );
  }
  expect(await change("id;v\n2;5,00\n", "upsert")).toMatchObject(refused(/have no unit, .* came with €/));
  await change("id;v\n2;\n", "append");
  await change("id;v\n2;€ 6,00\n3;€ 7,50\n", "upsert");
  expect(await space.read("SELECT v FROM sales ORDER BY id")).toEqual([[5], [6], [7.5]]);
  await change("id;v\n2;5,00 $\n", "replace");
  expect(await space.read("SELECT v FROM sales")).toEqual([[5]]);
});
