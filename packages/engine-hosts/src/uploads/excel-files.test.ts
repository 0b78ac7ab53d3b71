import { gzipSync } from "node:zlib";
import type { FileReading } from "@querybell/domain/file-reading";
import { excelOf, rowsOf, styled, zipOf } from "@querybell/engines/testing/excel-file";
import { describe, expect, test } from "vitest";
import { createUploadWorkspace, importOf } from "./testing/upload-workspace.ts";

/** Reads a file as an import does, and returns the names, the types and the rows of the table that it would make. */
async function readExcel(content: Uint8Array, reading: FileReading = {}) {
  using space = createUploadWorkspace();
  const outcome = await space.preview(space.file(content, "excel"), {}, { reading });
  if (outcome.kind === "refused") return { refused: outcome.refusal.message };
  const { columns, rows, renamed, questions } = outcome.preview;
  // An import is refused with the first question.
  if (questions[0]) return { refused: questions[0].message };
  return {
    columns: columns.map(({ name, type }) => `${name} ${type}`).join(", "),
    rows,
    renamed: renamed.map(({ from, to }) => `${from}>${to}`).join(),
  };
}

const oneSheet = (rows: string, options: object = {}) => excelOf({ sheets: { Data: rows }, ...options });
/** A cell with one of the texts that cells share. */
const shared = (index: number) => ({ xml: `<c t="s"><v>${index}</v></c>` });
/** A column with one value and the given format. */
const dated = (format: string, value: number | string, is1904 = false) =>
  oneSheet(rowsOf(["v"], [styled(value)]), { formats: [format], is1904 });

describe("an Excel file", () => {
  test("keeps numbers, texts and truth values apart", async () => {
    const rows = rowsOf(
      ["id", "name", "zip", "price", "isNew", "mixed"],
      [1, "Ann &amp; Bo", "01234", 0.1, true, 5],
      [2, null, "04321", 1234.5678901234567, false, "n/a"],
    );
    expect(await readExcel(oneSheet(rows))).toEqual({
      columns: "id BIGINT, name VARCHAR, zip VARCHAR, price DOUBLE, isNew BOOLEAN, mixed VARCHAR",
      rows: [
        ["1", "Ann & Bo", "01234", "0.1", "true", "5"],
        ["2", null, "04321", "1234.5678901234567", "false", "n/a"],
      ],
      renamed: "",
    });
  });

  test("tells which cells of its rows are merged", async () => {
    const notesOf = async (merged: string[]) => {
      using space = createUploadWorkspace();
      const cells = `</sheetData><mergeCells>${merged.map((range) => `<mergeCell ref="${range}"/>`).join("")}</mergeCells>`;
      const rows = rowsOf(["Report"], ["region", "city"], ["North", "Oslo"], ["", "Bergen"]);
      const content = excelOf({ sheets: { Data: `${rows}${cells}<sheetData>` } });
      const outcome = await space.preview(space.file(content, "excel"), {}, { reading: { header: 2 } });
      return outcome.kind === "refused" ? outcome.refusal : outcome.preview.notes;
    };
    expect(await notesOf([])).toEqual([]);
    // A title above the names is no value.
    expect(await notesOf(["A1:B1"])).toEqual([]);
    expect(await notesOf(["A1:B1", "A3:A4"])).toEqual([
      "The sheet has merged cells: A3:A4. The first cell of each has its value, and the others are NULL.",
    ]);
    const many = [3, 4, 5, 6, 7, 8].map((row) => `A${row}:B${row}`);
    expect(await notesOf(many)).toEqual([expect.stringContaining("A7:B7 and others. The first cell")]);
  });

  test("keeps every digit of a number, and leaves those that Excel adds to a double", async () => {
    const number = (text: string) => ({ xml: `<c><v>${text}</v></c>` });
    const rows = rowsOf(
      ["whole", "long", "double", "huge", "zero"],
      ["12345678901234567890", "0.1234567890123456789", "0.10000000000000001", "1E+400", "-0"].map(number),
      ["9007199254740993", "-.5", "0.30000000000000004", "1E-400", "0012"].map(number),
    );
    expect(await readExcel(oneSheet(rows))).toMatchObject({
      columns: "whole HUGEINT, long DECIMAL(20,19), double DOUBLE, huge VARCHAR, zero DOUBLE",
      rows: [
        ["12345678901234567890", "0.1234567890123456789", "0.1", "1E+400", "-0.0"],
        ["9007199254740993", "-0.5000000000000000000", "0.30000000000000004", "1E-400", "12.0"],
      ],
    });
  });

  test("has cells without a value, and texts without how they are spoken", async () => {
    const rows = rowsOf(
      ["text", "flag", "spoken", "id"],
      [
        { xml: '<c t="s"><v/></c>' },
        { xml: '<c t="b"><v></v></c>' },
        { xml: '<c t="inlineStr"><is><r><t>東</t></r><t>京</t><rPh><t>トウキョウ</t></rPh></is></c>' },
        1,
      ],
    );
    expect(await readExcel(oneSheet(rows, { sharedStrings: ["<t>first</t>"] }))).toMatchObject({
      rows: [[null, null, "東京", "1"]],
      columns: "text VARCHAR, flag VARCHAR, spoken VARCHAR, id BIGINT",
    });
  });

  test("has shared texts with formatted parts, escapes, and results of formulas", async () => {
    const rows = rowsOf(
      [shared(0), "sum"],
      [shared(1), { xml: "<c><f>1+1</f><v>2</v></c>" }],
      [shared(2), { xml: '<c t="str"><f>""</f><v></v></c>' }],
    );
    const sharedStrings = [
      "<t>name</t>",
      '<r><t>bo</t></r><r><rPr><b/></rPr><t xml:space="preserve">ld </t></r><rPh><t>x</t></rPh>',
      "<t>a_x000A_b_x005F_x000A_</t>",
    ];
    expect(await readExcel(oneSheet(rows, { sharedStrings }))).toMatchObject({
      columns: "name VARCHAR, sum BIGINT",
      rows: [
        ["bold ", "2"],
        ["a\nb_x000A_", null],
      ],
    });
  });

  test.for([
    ["dd/mm/yyyy", 45322, false, "v DATE", "2024-01-31"],
    ["yyyy-mm-dd", 43860, true, "v DATE", "2024-01-31"],
    ['[$-409]d "day of" mmm', 1, false, "v DATE", "1900-01-01"],
    ["m/d/yy", 59, false, "v DATE", "1900-02-28"],
    ["m/d/yy", 61, false, "v DATE", "1900-03-01"],
    ["m/d/yy", 2958465, false, "v DATE", "9999-12-31"],
    ["dd.mm.yyyy hh:mm", 45322.520833333336, false, "v TIMESTAMP", "2024-01-31 12:30:00"],
    ["dd.mm.yyyy", 45322.75, false, "v TIMESTAMP", "2024-01-31 18:00:00"],
    ["yyyy-mm-dd hh:mm:ss.000", "45322.000011585645", false, "v TIMESTAMP", "2024-01-31 00:00:01.001"],
    ["h:mm AM/PM", 0.5, false, "v TIME", "12:00:00"],
    ["mm:ss", 0.25, false, "v TIME", "06:00:00"],
    ["h:mm", 0.99999999999, false, "v TIME", "23:59:59.999999"],
    ["h:mm", 1.5, false, "v TIMESTAMP", "1900-01-01 12:00:00"],
    ["[h]:mm", 1.5, false, "v DOUBLE", "1.5"],
    ["0.00%", 0.125, false, "v DOUBLE", "0.125"],
    ["#,##0.00 [$€-407];[Red]-#,##0.00", 1234.5, false, "v DOUBLE", "1234.5"],
    ['0 "days"', 5, false, "v BIGINT", "5"],
    ["General", 5, false, "v BIGINT", "5"],
  ] as const)("shows %s %d (1904: %s) as it is meant", async ([format, value, is1904, columns, read]) => {
    expect(await readExcel(dated(format, value, is1904))).toMatchObject({ columns, rows: [[read]] });
  });

  test("begins anywhere, may have no names, and names columns that have none", async () => {
    const rows =
      '<row r="4"><c r="C4" t="inlineStr"><is><t>a</t></is></c><c r="E4" t="inlineStr"><is><t>a</t></is></c></row><row r="5"/><row r="7"><c r="C7"><v>1</v></c><c r="E7"><v>3</v></c><c r="AB7"><v>4</v></c></row>';
    expect(await readExcel(oneSheet(rows))).toMatchObject({
      columns: "a BIGINT, a_2 BIGINT, column_3 BIGINT",
      rows: [["1", "3", "4"]],
      renamed: "a>a_2,>column_3",
    });
    expect(await readExcel(oneSheet(rowsOf([1, "x"], [2, "y"])), { header: 0 })).toMatchObject({
      columns: "column_1 BIGINT, column_2 VARCHAR",
      rows: [
        ["1", "x"],
        ["2", "y"],
      ],
    });
    const titled = oneSheet(rowsOf(["Sales"], [], ["id", "v", "w"], [1, 2, 3]));
    expect(await readExcel(titled)).toEqual({
      refused: expect.stringMatching(/^Row 1 names 1 of 3 columns\./),
    });
    expect(await readExcel(titled, { header: 3 })).toMatchObject({ rows: [["1", "2", "3"]] });
  });

  test("has values beside empty elements, and thousands of styles with one long format", async () => {
    const rows = rowsOf(
      ["a", "b"],
      [{ xml: '<c t="inlineStr"><v/><is><t>x</t></is></c>' }, { xml: "<c><is/><v>1</v></c>" }],
    );
    expect(await readExcel(oneSheet(rows))).toMatchObject({ rows: [["x", "1"]] });
    const code = "0".repeat(1_000_000);
    const styles = `<styleSheet><numFmts><numFmt numFmtId="164" formatCode="${code}"/></numFmts><cellXfs>${'<xf numFmtId="164"/>'.repeat(50_000)}</cellXfs></styleSheet>`;
    const parts = { "xl/styles.xml": styles };
    expect(await readExcel(oneSheet(rowsOf(["v"], [styled(5, 49_999)]), { parts }))).toMatchObject({
      rows: [["5"]],
    });
  });

  test("has sheets to choose from", async () => {
    const sheets = { Notes: rowsOf(["x"], ["y"]), Data: rowsOf(["v"], [1]), Old: rowsOf(["w"], [2]) };
    const file = excelOf({ sheets, hidden: ["Old"] });
    expect(await readExcel(file)).toEqual({
      refused: "The file has 2 sheets: Notes, Data. Send sheet with the name of one.",
    });
    expect(await readExcel(file, { sheet: "data" })).toMatchObject({ rows: [["1"]] });
    expect(await readExcel(file, { sheet: "Old" })).toMatchObject({ rows: [["2"]] });
    expect(await readExcel(file, { sheet: "None" })).toEqual({
      refused: "The file has no sheet None. It has: Notes, Data, Old.",
    });
    using space = createUploadWorkspace();
    expect(await space.preview(space.file(file, "excel"))).toMatchObject({
      preview: {
        reading: { sheet: "Notes", header: 1 },
        sheets: ["Notes", "Data", "Old"],
        questions: [{ about: "sheet" }],
      },
    });
  });

  test("has sizes of 64 bits, as programs write them for large sheets", async () => {
    const content = oneSheet(rowsOf(["v"], [1]), { hasLargeNumbers: true });
    expect(await readExcel(content)).toMatchObject({ columns: "v BIGINT", rows: [["1"]] });
    // The last number of the archive's directory is the offset of its last file.
    content.writeBigUInt64LE(2n ** 63n, content.length - 22 - 8);
    expect(await readExcel(content)).toEqual({ refused: expect.stringMatching(/^The file is not an Excel/) });
  });

  test("is read in forms of numbers, and packed", async () => {
    using space = createUploadWorkspace();
    const file = space.file(gzipSync(oneSheet(rowsOf(["v"], ["1.234,5 €"]))), "excel");
    await space.change(importOf(file, { reading: { numbers: { v: "1.234,56" } } }));
    expect(await space.read("SELECT v FROM sales")).toEqual([[1234.5]]);
    expect(space.contents()).toEqual(["uploads.duckdb"]);
  });

  test.for<[string, Uint8Array, RegExp, FileReading?]>([
    [
      "an error",
      oneSheet(rowsOf(["v"], [{ xml: '<c t="e"><v>#DIV/0!</v></c>' }])),
      /^Cell A2 has the error #DIV\/0!\./,
    ],
    [
      "a formula with an empty result",
      oneSheet(rowsOf(["v"], [{ xml: "<c><f>1+1</f><v></v></c>" }])),
      /^Cell A2 has a formula without a stored result/,
    ],
    [
      "a number that is none",
      oneSheet(rowsOf(["v"], [{ xml: "<c><v>0x10</v></c>" }])),
      /^Cell A2 has “0x10”, which is not a number/,
    ],
    [
      "a truth value that is none",
      oneSheet(rowsOf(["v"], [{ xml: '<c t="b"><v>2</v></c>' }])),
      /^Cell A2 has “2”, which is not TRUE or FALSE/,
    ],
    [
      "a date that is none",
      oneSheet(rowsOf(["v"], [{ xml: '<c t="d"><v>soon</v></c>' }])),
      /^Cell A2 has “soon”, which is not a date/,
    ],
    ["half of a character", oneSheet(rowsOf(["v"], ["_xD83D_"])), /^Cell A2 has half of a surrogate pair/],
    [
      "a text that is too long",
      oneSheet(rowsOf(["v"], ["x".repeat(1_000_001)])),
      /^Cell A2 has more than 1,000,000 characters/,
    ],
    [
      "a cell twice",
      oneSheet('<row r="1"><c r="A1"><v>1</v></c><c r="A1"><v>2</v></c></row>'),
      /^Cell A1 in row 1 is not where the file may have it, or comes twice/,
    ],
    [
      "a value twice",
      oneSheet(
        '<row><c t="inlineStr"><is><t>v</t></is></c></row><row r="12345"><c><v>1</v><v>2</v></c></row>',
      ),
      /^Cell A12345 has two values\. Open the file in Excel/,
    ],
    [
      "a value and a text",
      oneSheet(rowsOf(["v"], [{ xml: "<c><v>1</v><is><t>2</t></is></c>" }])),
      /^Cell A2 has two values/,
    ],
    [
      "a text and a value",
      oneSheet(rowsOf(["v"], [{ xml: "<c><is><t>2</t></is><v>1</v></c>" }])),
      /^Cell A2 has two values/,
    ],
    [
      "a text beside a value",
      oneSheet(rowsOf(["v"], [{ xml: "<c><v>1</v><t>2</t></c>" }])),
      /^Cell A2 has two values/,
    ],
    [
      "a cell with a long place",
      oneSheet(`<row><c r="${"A".repeat(100)}"><v>1</v></c></row>`),
      /^Cell A{30}… in row 1 is not where the file may have it, or comes twice/,
    ],
    [
      "more cells in a row than there are columns",
      oneSheet(`<row>${"<c><v>1</v></c>".repeat(20_000)}</row>`),
      /^Cell XFE1 is not where the file may have it/,
    ],
    [
      "a name in all columns",
      oneSheet(rowsOf(Array(16_384).fill("a"), [1])),
      /^The file has 16384 columns\. At most 1000 are possible/,
    ],
    [
      "a long text that cells share",
      oneSheet(rowsOf(["v"], [shared(0)]), { sharedStrings: [`<t>${"x".repeat(1_000_001)}</t>`] }),
      /^Cell A2 has more than 1,000,000 characters/,
    ],
    [
      "a row of long texts that cells share",
      oneSheet(rowsOf(["v"], Array(20).fill(shared(0))), {
        sharedStrings: [`<t>${"x".repeat(1_000_000)}</t>`],
      }),
      /^Row 2 has more than the 16 MiB that it may have/,
    ],
    [
      "a row of letters that have three bytes",
      oneSheet(rowsOf(["v"], Array(6).fill(shared(0))), {
        sharedStrings: [`<t>${"東".repeat(1_000_000)}</t>`],
      }),
      /^Row 2 has more than the 16 MiB that it may have/,
    ],
    [
      "many rows of a long text that cells share",
      oneSheet(rowsOf(["v"], ...Array(3000).fill([shared(0)])), {
        sharedStrings: [`<t>${"x".repeat(900_000)}</t>`],
      }),
      /^The file has more than 64 MiB when it is unpacked/,
    ],
    [
      "a sheet whose name is too long",
      excelOf({ sheets: { ["x".repeat(101)]: rowsOf(["v"], [1]) } }),
      /^A sheet of the Excel file has no name, or one of more than 100 characters/,
    ],
    ["a sheet without a name", excelOf({ sheets: { "": rowsOf(["v"], [1]) } }), /^A sheet of the Excel file/],
    [
      "a row twice",
      oneSheet('<row r="1"><c><v>1</v></c></row><row r="1"><c><v>2</v></c></row>'),
      /^Row 1 is not where the file may have it, or comes twice/,
    ],
    [
      "a title above two columns",
      oneSheet(rowsOf(["Sales report"], ["name", "amount"], ["x", 1])),
      /^Row 1 names 1 of 2 columns\. Send header/,
    ],
    [
      "a formula without a result",
      oneSheet(rowsOf(["v"], [{ xml: "<c><f>A1</f></c>" }])),
      /^Cell A2 has a formula without a stored result/,
    ],
    [
      "a day that is none",
      dated("d/m/yy", 60),
      /^Cell A2 is shown as a date or a time, but its number 60 is none/,
    ],
    ["a day before the first", dated("d/m/yy", -1), /^Cell A2 is shown as a date/],
    ["the day 0", dated("d/m/yy", 0), /^Cell A2 is shown as a date/],
    [
      "names that can be values",
      oneSheet(rowsOf([2023, 2024], [1, 2])),
      /^Row 1 can have names or values: 2023, 2024/,
    ],
    [
      "a number among texts that are read as numbers",
      oneSheet(rowsOf(["v"], ["1.234,5"], [1.234])),
      /^Row 3: “1\.234” in the column v is no number written like 1\.234,56/,
      { numbers: { v: "1.234,56" } },
    ],
    ["no rows", oneSheet(rowsOf(["a"])), /^The sheet Data has no rows with values below the names/],
    ["no cells", oneSheet(""), /^The sheet Data has no rows with values, and the file has no other/],
    ["no zip archive", Buffer.from("id,name\n1,a\n"), /^The file is not an Excel file/],
    ["another zip archive", zipOf({ "a.txt": "a" }), /^The file is not an Excel file/],
    [
      "a Word document",
      zipOf({ "[content_types].xml": "x", "word/document.xml": "x" }),
      /^The file is a Word document\. Save its table as CSV/,
    ],
    ["a picture", Buffer.from("GIF89a\x01", "latin1"), /^The file is a picture, no table/],
    ["half of itself", oneSheet(rowsOf(["a"], [1])).subarray(0, 700), /^The file is not an Excel file/],
    [
      "the old format",
      Buffer.from("d0cf11e0a1b11ae1", "hex"),
      /^The file is an Excel file of the old format \(\.xls\), or has a password/,
    ],
    ["broken XML", oneSheet("<row><c></row>"), /^The file is not an Excel file/],
    [
      "entities",
      oneSheet("", { parts: { "xl/workbook.xml": '<!DOCTYPE a [<!ENTITY b "c">]><workbook/>' } }),
      /^The file is not an Excel file/,
    ],
    [
      "a sheet that is a zip bomb",
      oneSheet("<row/>".repeat(12 * 1024 ** 2)),
      /^The Excel file has more than 64 MiB when it is unpacked/,
    ],
    [
      "a sheet of nothing but spaces",
      oneSheet("", { parts: { "xl/worksheets/sheet1.xml": `<a>${" ".repeat(10 * 1024 ** 2)}` } }),
      /^The Excel file has a text or a tag of more than 8 MiB/,
    ],
    [
      "a tag that does not end",
      oneSheet("", { parts: { "xl/worksheets/sheet1.xml": `<a b="${"x".repeat(10 * 1024 ** 2)}"` } }),
      /^The Excel file has a text or a tag of more than 8 MiB/,
    ],
    ["tags in each other", oneSheet("<a>".repeat(1000)), /^The file is not an Excel file/],
    [
      "texts that are a zip bomb",
      oneSheet(rowsOf([1]), { sharedStrings: ["<t/>".repeat(18 * 1024 ** 2)] }),
      /^The Excel file has more than 64 MiB/,
    ],
  ])("with %s is refused", async ([_, content, message, reading]) => {
    expect(await readExcel(content, reading)).toEqual({ refused: expect.stringMatching(message) });
  });
});
