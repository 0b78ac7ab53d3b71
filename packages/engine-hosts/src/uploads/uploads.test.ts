import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { dataFolder } from "@querybell/engines/testing/real-databases";
import { afterAll, describe, expect, test } from "vitest";
import { createEngineHosts } from "../index.ts";
import { resolveAnyHost } from "../testing/resolve-any-host.ts";
import { createUploadWorkspace, importOf } from "./testing/upload-workspace.ts";

const hosts = createEngineHosts({ size: 1, resolveHost: resolveAnyHost, dataFolder });
afterAll(() => hosts.close());

const refused = (message: RegExp, reason = "unreadable") => ({
  kind: "refused",
  refusal: expect.objectContaining({ reason, message: expect.stringMatching(message) }),
});

describe("a preview", () => {
  test("guesses types, and shows the first rows", async () => {
    using space = createUploadWorkspace(hosts);
    const file = space.file('id;name;day;price\n1;"a;b";2026-01-31;1.5\n2;;2026-02-01;2\n3;"";;\n');
    expect(await space.preview(file)).toEqual({
      kind: "previewed",
      preview: {
        columns: [
          { name: "id", type: "BIGINT" },
          { name: "name", type: "VARCHAR" },
          { name: "day", type: "DATE" },
          { name: "price", type: "DOUBLE" },
        ],
        rows: [
          ["1", "a;b", "2026-01-31", "1.5"],
          ["2", null, "2026-02-01", "2.0"],
          ["3", "", null, null],
        ],
        reading: { encoding: "utf-8", delimiter: ";", header: 1 },
        questions: [],
        renamed: [],
        sheets: [],
        notes: [],
        numberReadings: [],
        ambiguousDates: [],
        hasNamesAsBefore: false,
      },
    });
    expect(await space.preview(file, { id: "VARCHAR", day: "TIMESTAMP" })).toMatchObject({
      preview: {
        columns: [{ type: "VARCHAR" }, {}, { type: "TIMESTAMP" }, {}],
        rows: expect.arrayContaining([["1", "a;b", "2026-01-31 00:00:00", "1.5"]]),
      },
    });
  });

  test("keeps nested values of JSON lines as they are, and finds keys that only the last line has", async () => {
    using space = createUploadWorkspace(hosts);
    const lines = ['{"a":1,"b":{"c":[1,2]}}', "", '{"a":2.5,"d":"x"}'];
    expect(await space.preview(space.file(lines.join("\n"), "json_lines"))).toMatchObject({
      preview: {
        columns: [
          { name: "a", type: "DOUBLE" },
          { name: "b", type: "JSON" },
          { name: "d", type: "VARCHAR" },
        ],
        rows: [
          ["1.0", '{"c":[1,2]}', null],
          ["2.5", null, "x"],
        ],
      },
    });
  });
});

describe("a broken file gets a sentence with the line:", () => {
  test.for([
    [
      "too many values",
      "id,name\n1,a\n2,b,c\n3,d\n",
      /^Line 3 has 3 values, but the first line names 2 columns/,
    ],
    ["too few values", "id,name\n1,a\n2\n", /^Line 3 has 1 value, but the first line names 2 columns/],
    ["an open quote", 'id,name\n1,"a\n2,b\n', /^Line 2 has a quote that is not closed/],
    ["text behind a quote in the names", '"a"x,b\n1,2\n', /^Line 1 has text behind a closing quote/],
    ["a name on two lines", '"a\nb",c\r\n1,2\r\n', /^The name of column 1 has a line break/],
    ["nothing", "", /^The file is empty/],
    ["binary", Buffer.from([0, 1, 2, 3, 255, 254, 10, 13, 0]), /./],
    [
      "lines that end in several ways",
      "a,b\r1,2\n3,4\r\n5,6\r",
      /^Line 2 ends in another way than the first line/,
    ],
  ] as const)("%s", async ([_, content, message]) => {
    using space = createUploadWorkspace();
    expect(await space.preview(space.file(content))).toEqual(refused(message));
  });

  test("a value that a chosen type does not hold comes late, and the import says where", async () => {
    using space = createUploadWorkspace(hosts);
    const rows = Array.from({ length: 150_000 }, (_, index) => `${index},"a\r\nb"`);
    const file = space.file(`id,name\n${rows.join("\n")}\n1.5,b\n`);
    expect(await space.change(importOf(file, { types: { id: "BIGINT" } }))).toEqual(
      refused(
        /^Line 300002: “1\.5” in the column id cannot be stored exactly as BIGINT\. Choose another type/,
      ),
    );
  });

  test.for([
    ["half an object", '{"a":1}\n\n{"a":\n{"a":4}\n', /^Line 3 is not an object of JSON/],
    ["a list", '{"a":1}\n[1,2]\n', /^Line 2 is not an object of JSON/],
    ["no JSON at all", "hello\n", /^Line 1 is not an object of JSON/],
  ] as const)("JSON lines with %s", async ([_, content, message]) => {
    using space = createUploadWorkspace();
    expect(await space.preview(space.file(content, "json_lines"))).toEqual(refused(message));
  });

  test("JSON lines with a value that does not fit the chosen type", async () => {
    using space = createUploadWorkspace();
    const file = space.file('{"a":"1"}\n{"a":"x"}\n', "json_lines");
    expect(await space.change(importOf(file, { types: { a: "BIGINT" } }))).toEqual(
      refused(/^Line 2: “x” in the column a cannot be stored exactly as BIGINT/),
    );
  });

  test.for([
    ["too short", "PAR1"],
    ["something else", "id,name\n1,a\n"],
    ["cut off", `PAR1${"x".repeat(1000)}`],
  ] as const)("no Parquet: %s", async ([_, content]) => {
    using space = createUploadWorkspace();
    expect(await space.preview(space.file(content, "parquet"))).toEqual(
      refused(/^The file is not a Parquet file, or a part of it is damaged or missing/),
    );
  });
});

describe("a change", () => {
  test("creates, appends, replaces and drops tables, and leaves one file", async () => {
    using space = createUploadWorkspace(hosts);
    expect(await space.change(importOf(space.file("id,name\n1,a\n")))).toMatchObject({
      kind: "changed",
      changed: { table: { name: "sales", rowCount: 1, columns: [{ name: "id" }, { name: "name" }] } },
    });
    expect(await space.change(importOf(space.file("x\n1\n"), { table: "Sales" }))).toEqual(
      refused(/^There is a table sales already/, "conflict"),
    );
    // By name, in whichever order, and in the table's types.
    const more = space.file("NAME,id\n007,2\n");
    expect(await space.change(importOf(more, { mode: "append" }))).toMatchObject({
      changed: { table: { rowCount: 2 } },
    });
    expect(await space.read("FROM sales ORDER BY id")).toEqual([
      ["1", "a"],
      ["2", "007"],
    ]);
    await space.change(importOf(space.file("y\n5\n6\n7\n"), { table: "other" }));
    expect(await space.change(importOf(space.file("z\n9\n"), { mode: "replace" }))).toMatchObject({
      changed: { table: { name: "sales", rowCount: 1, columns: [{ name: "z" }] } },
    });
    expect(await space.change({ kind: "drop", table: "SALES" })).toMatchObject({
      changed: { table: null },
    });
    expect(await space.change({ kind: "drop", table: "sales" })).toEqual(
      refused(/^There is no table sales/, "not_found"),
    );
    expect(space.contents()).toEqual(["uploads.duckdb"]);
  });

  test("uses the room of what was dropped again", async () => {
    using space = createUploadWorkspace();
    const rows = Array.from({ length: 150_000 }, (_, index) => `${index},${Math.sin(index)}`).join("\n");
    const file = space.file(`id,value\n${rows}\n`);
    const first = await space.change(importOf(file));
    await space.change(importOf(file, { mode: "replace" }));
    const last = await space.change(importOf(file, { mode: "replace" }));
    if (first.kind !== "changed" || last.kind !== "changed") throw new Error("It did not change.");
    expect(last.changed.usedBytes).toBeLessThan(first.changed.usedBytes * 1.5);
    expect(first.changed.usedBytes).toBeGreaterThan(1_000_000);
    const empty = await space.change({ kind: "drop", table: "sales" });
    expect(empty).toMatchObject({ changed: { table: null } });
    if (empty.kind === "changed") expect(empty.changed.usedBytes).toBeLessThan(1_000_000);
  });

  test.for([
    ["lacks a column", "id\n1\n", /^The file has no column name, which the table sales has/],
    [
      "has another column",
      "id,name,extra\n1,a,b\n",
      /^The file has a column extra, which the table sales does not have/,
    ],
    [
      "has a value that does not fit",
      "id,name\nx,a\n",
      /^Line 2: “x” in the column id cannot be stored exactly as BIGINT\. That is the type of the column/,
    ],
  ] as const)("that appends a file which %s is refused", async ([_, content, message]) => {
    using space = createUploadWorkspace();
    await space.change(importOf(space.file("id,name\n1,a\n")));
    expect(await space.change(importOf(space.file(content), { mode: "append" }))).toEqual(refused(message));
  });

  test("of a table that is a word of SQL, or that is not there, is refused", async () => {
    using space = createUploadWorkspace();
    expect(await space.change(importOf(space.file("a\n1\n"), { table: "order" }))).toEqual(
      refused(/^order is a word of SQL/),
    );
    expect(await space.change(importOf(space.file("a\n1\n"), { mode: "append" }))).toEqual(
      refused(/^There is no table sales to append to/, "not_found"),
    );
  });

  test("that makes the file too large is ended", async () => {
    using space = createUploadWorkspace(hosts);
    const rows = Array.from({ length: 500_000 }, (_, index) => `${index},${Math.sin(index)}`).join("\n");
    const outcome = await space.change(importOf(space.file(`id,value\n${rows}\n`)), 1_000_000);
    expect(outcome).toEqual({ kind: "too_large" });
  });

  test("on a full disk says so", () => {
    using space = createUploadWorkspace(hosts);
    const program = fileURLToPath(new URL("./testing/import-on-small-disk.ts", import.meta.url));
    // A disk of 3 MiB, in a separate mount namespace.
    const script = `mount -t tmpfs -o size=3m tmpfs "$0" && exec "$@"`;
    const printed = execFileSync("unshare", [
      ...["--user", "--map-root-user", "--mount", "sh", "-c", script, space.workspace],
      ...[process.execPath, program, space.workspace, space.root],
    ]);
    expect(JSON.parse(printed.toString())).toEqual(
      refused(/^There is no room left on the disk of this installation\. Nothing was changed/, "disk_full"),
    );
  });

  test("reads the uploaded file and no other one", async () => {
    using space = createUploadWorkspace(hosts);
    const other = join(space.root, "other.csv");
    writeFileSync(other, "secret\n1\n");
    // The type of a column is the only text of the caller that is not quoted in a statement.
    const file = space.file("a\n1\n");
    for (const types of [{ a: `BIGINT) FROM read_csv('${other}') --` }, { a: "BIGINT'}, filename = true" }]) {
      expect(await space.change(importOf(file, { types }))).toMatchObject({ kind: "refused" });
    }
    expect(await space.change({ kind: "drop", table: `x"; ATTACH '${other}' --` })).toMatchObject({
      kind: "refused",
    });
  });
});
