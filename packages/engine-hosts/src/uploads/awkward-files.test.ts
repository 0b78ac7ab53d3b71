import { gzipSync } from "node:zlib";
import type { FileReading } from "@querybell/domain/file-reading";
import type { UploadedFile } from "@querybell/engines";
import { excelOf, rowsOf, zipOf } from "@querybell/engines/testing/excel-file";
import { describe, expect, test } from "vitest";
import { createUploadWorkspace, importOf } from "./testing/upload-workspace.ts";

interface AwkwardFile {
  content: string | Uint8Array;
  format?: UploadedFile["format"];
  reading?: FileReading;
}

const latin1 = (text: string) => Buffer.from(text, "latin1");
const utf16 = (text: string) => Buffer.from(text, "utf16le");
const bigEndian = (text: string) => utf16(text).swap16();

/** Reads a file as an import does, and returns the names, the types and the rows of the table that it would make. */
async function readFile({ content, format = "csv", reading = {} }: AwkwardFile) {
  using space = createUploadWorkspace();
  const outcome = await space.preview(space.file(content, format), {}, { reading });
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

const table = "id;größe\n1;ä€\n2;ñ\n";
const tableRows = [
  ["1", "ä€"],
  ["2", "ñ"],
];

describe("is imported:", () => {
  test.for<[string, AwkwardFile, { columns?: string; rows: unknown[][]; renamed?: string }]>([
    ["UTF-8 with a byte order mark", { content: `\ufeff${table}` }, { rows: tableRows }],
    [
      "UTF-16, little endian",
      { content: utf16(`\ufeff${table}`) },
      { columns: "id BIGINT, größe VARCHAR", rows: tableRows },
    ],
    ["UTF-16, big endian", { content: bigEndian(`\ufeff${table}`) }, { rows: tableRows }],
    ["UTF-16 without a mark", { content: utf16("id;name\r\n1;ab\r\n") }, { rows: [["1", "ab"]] }],
    [
      "UTF-16 without a mark in Cyrillic",
      { content: utf16("имя;город\r\nАнна;Москва\r\n") },
      { rows: [["Анна", "Москва"]] },
    ],
    [
      "big-endian UTF-16 without a mark in Chinese",
      { content: bigEndian("名字,城市\n张三,北京\n") },
      { rows: [["张三", "北京"]] },
    ],
    [
      "UTF-16 without a mark and a letter with a zero on the other side",
      { content: utf16("name,v\nĀbc,1\n") },
      { rows: [["Ābc", "1"]] },
    ],
    [
      "JSON in UTF-16 without a mark",
      { content: bigEndian('[{"имя":"Ā"}]'), format: "json" },
      { columns: "имя VARCHAR", rows: [["Ā"]] },
    ],
    ["UTF-8 with a zero in a value", { content: "a,b\n1,x\0y\n" }, { rows: [["1", "x\0y"]] }],
    [
      "UTF-16 with tabs, as Excel writes it",
      { content: utf16('\ufeffid\tname\r\n1\t"a\tb"\r\n') },
      { rows: [["1", "a\tb"]] },
    ],
    [
      "Latin-1",
      { content: latin1("id,name\n1,café\n"), reading: { encoding: "windows-1252" } },
      { rows: [["1", "café"]] },
    ],
    [
      "Windows-1252 with characters that Latin-1 does not have",
      {
        content: Buffer.from([...Buffer.from("a,b\n1,"), 0x80, 0x93, 0x94, 0x85, 0x0a]),
        reading: { encoding: "windows-1252" },
      },
      { rows: [["1", "€“”…"]] },
    ],
    [
      "Cyrillic",
      {
        content: Buffer.from([...Buffer.from("a,b\n1,"), 0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2, 0x0a]),
        reading: { encoding: "windows-1251" },
      },
      { rows: [["1", "Привет"]] },
    ],
    [
      "Japanese",
      {
        content: Buffer.from([...Buffer.from("a,b\n1,"), 0x93, 0xfa, 0x96, 0x7b, 0x0a]),
        reading: { encoding: "shift_jis" },
      },
      { rows: [["1", "日本"]] },
    ],
    [
      "UTF-8 although another encoding was remembered",
      { content: "a\né\n", reading: { encoding: "windows-1252" } },
      { rows: [["é"]] },
    ],
    ["sep=;", { content: "sep=;\r\nid;v\r\n1;2,5\r\n" }, { rows: [["1", "2,5"]] }],
    [
      "sep= with a byte order mark",
      { content: "\ufeffsep=|\na|b,c\n1|2\n" },
      { columns: "a BIGINT, b,c BIGINT", rows: [["1", "2"]] },
    ],
    ["sep= in UTF-16", { content: utf16("\ufeffsep=\t\r\na\tb\r\n1\t2\r\n") }, { rows: [["1", "2"]] }],
    ["gzip", { content: gzipSync(table) }, { rows: tableRows }],
    ["gzip of UTF-16 with sep=", { content: gzipSync(utf16(`\ufeffsep=;\n${table}`)) }, { rows: tableRows }],
    [
      "gzip in two parts",
      { content: Buffer.concat([gzipSync("a,b\n1,2\n"), gzipSync("3,4\n")]) },
      {
        rows: [
          ["1", "2"],
          ["3", "4"],
        ],
      },
    ],
    [
      "JSON lines in gzip",
      { content: gzipSync('{"a":1}\n{"a":2}\n'), format: "json_lines" },
      { rows: [["1"], ["2"]] },
    ],
    [
      "a list of JSON",
      { content: '[{"a":1,"b":"x,y"},{"a":2}]', format: "json" },
      {
        rows: [
          ["1", "x,y"],
          ["2", null],
        ],
      },
    ],
    [
      "a list of JSON on many lines",
      {
        content: '\ufeff[\r\n  {\r\n "a": "]}\\"[,\\\\",\r\n "b": [1,\n2]\r\n}\r\n,\r\n{"a":"\\n"}\r\n]\r\n',
        format: "json",
      },
      {
        columns: "a VARCHAR, b JSON",
        rows: [
          [']}"[,\\', "[1,2]"],
          ["\n", null],
        ],
      },
    ],
    ["a list in JSON lines", { content: ' [{"a":1}]', format: "json_lines" }, { rows: [["1"]] }],
    [
      "objects of JSON after each other",
      { content: '{\n"a":1\n}\n{"a":\n2} {"a":3}', format: "json" },
      { rows: [["1"], ["2"], ["3"]] },
    ],
    [
      "JSON lines with a byte order mark",
      { content: '\ufeff{"a":1}\r\n{"a":2}\r\n', format: "json_lines" },
      { rows: [["1"], ["2"]] },
    ],
    ["JSON in UTF-16", { content: utf16('\ufeff[{"a":"ö"}]'), format: "json" }, { rows: [["ö"]] }],
    [
      "numbers of JSON that no double holds",
      { content: '[{"a":0.12345678901234567890},{"a":12345678901234567890}]', format: "json" },
      { columns: "a JSON", rows: [["0.12345678901234567890"], ["12345678901234567890"]] },
    ],
    [
      "no names",
      { content: "1,Ann\n2,Ben\n", reading: { header: 0 } },
      {
        columns: "column_1 BIGINT, column_2 VARCHAR",
        rows: [
          ["1", "Ann"],
          ["2", "Ben"],
        ],
      },
    ],
    [
      "years as names",
      { content: "land,2023,2024\nA,1,2\n", reading: { header: 1 } },
      { columns: "land VARCHAR, 2023 BIGINT, 2024 BIGINT", rows: [["A", "1", "2"]] },
    ],
    [
      "names on a later line",
      { content: "Sales report\n\nid,v\n1,2\n", reading: { header: 3 } },
      { columns: "id BIGINT, v BIGINT", rows: [["1", "2"]] },
    ],
    [
      "blank lines at the top",
      { content: "\n  \nid,v\n1,2\n" },
      { columns: "id BIGINT, v BIGINT", rows: [["1", "2"]] },
    ],
    [
      "the same name twice",
      { content: "id,name,ID,name,name_2\n1,a,2,b,c\n" },
      {
        columns: "id BIGINT, name VARCHAR, ID_2 BIGINT, name_3 VARCHAR, name_2 VARCHAR",
        rows: [["1", "a", "2", "b", "c"]],
        renamed: "ID>ID_2,name>name_3",
      },
    ],
    [
      "a name is missing",
      { content: "id,,v\n1,2,3\n" },
      { columns: "id BIGINT, column_2 BIGINT, v BIGINT", rows: [["1", "2", "3"]], renamed: ">column_2" },
    ],
    [
      "a delimiter ends each line",
      { content: "a;b;\n1;2;\n3;4;\n" },
      {
        columns: "a BIGINT, b BIGINT",
        rows: [
          ["1", "2"],
          ["3", "4"],
        ],
        renamed: "",
      },
    ],
    [
      "a delimiter ends the names alone",
      { content: "a,b,\n1,2\n3,4\n" },
      {
        columns: "a BIGINT, b BIGINT",
        rows: [
          ["1", "2"],
          ["3", "4"],
        ],
      },
    ],
    [
      "several delimiters end each line",
      { content: "a,b,,,\r\n1,2,,,\r\n" },
      { columns: "a BIGINT, b BIGINT", rows: [["1", "2"]] },
    ],
    [
      "a delimiter ends each line without names",
      { content: "1,2,\n3,4,\n", reading: { header: 0 } },
      {
        columns: "column_1 BIGINT, column_2 BIGINT",
        rows: [
          ["1", "2"],
          ["3", "4"],
        ],
      },
    ],
    [
      "a value has no name",
      { content: "a,b,\n1,2,3\n4,5,\n" },
      {
        columns: "a BIGINT, b BIGINT, column_3 BIGINT",
        rows: [
          ["1", "2", "3"],
          ["4", "5", null],
        ],
      },
    ],
    [
      "another delimiter than the most frequent",
      { content: "1,5;2,5;3,5\n1;2;3\n", reading: { delimiter: ";", header: 0 } },
      {
        rows: [
          ["1,5", "2,5", "3,5"],
          ["1", "2", "3"],
        ],
      },
    ],
    [
      "another delimiter than the one that was remembered",
      { content: "a,b\n1,2\n", reading: { delimiter: ";" } },
      { columns: "a BIGINT, b BIGINT", rows: [["1", "2"]] },
    ],
    ["CR ends the lines, and there is no last one", { content: "a,b\r1,2" }, { rows: [["1", "2"]] }],
    ["quotes around everything", { content: '"a","b"\r\n"1","x ""y"" z"\r\n' }, { rows: [["1", 'x "y" z']] }],
    ["only names", { content: "a,b\n" }, { columns: "a VARCHAR, b VARCHAR", rows: [] }],
    [
      "a name that databases have at the same place",
      { content: "Animals,DUCK,GOOSE\na,b,c\n" },
      { columns: "Animals VARCHAR, DUCK VARCHAR, GOOSE VARCHAR", rows: [["a", "b", "c"]] },
    ],
    [
      "a word that archives have at the same place",
      { content: `a,b\n${"x".repeat(200)},${"y".repeat(51)}mustard\n` },
      { rows: [["x".repeat(200), `${"y".repeat(51)}mustard`]] },
    ],
    [
      "a name that Parquet files begin with",
      { content: "PAR1;PAR2\n1;2\n" },
      { columns: "PAR1 BIGINT, PAR2 BIGINT", rows: [["1", "2"]] },
    ],
    ["a name that pictures begin with", { content: "GIF89a,b\nx,y\n" }, { rows: [["x", "y"]] }],
  ])("%s", async ([_, file, expected]) => {
    expect(await readFile(file)).toMatchObject(expected);
  });
});

describe("numbers are read in the form of their column:", () => {
  test.for<[FileReading["numbers"], string[], string, string[]]>([
    [{ v: "1234,56" }, ["1,5", "-0,25", "12"], "DOUBLE", ["1.5", "-0.25", "12.0"]],
    [{ v: "1.234,56" }, ["1.234,56", "1.234.567", "0,5"], "DOUBLE", ["1234.56", "1234567.0", "0.5"]],
    [
      { v: "1,234.56" },
      ["$1,234.50", "-$2.00", "$ 3", "($4.25)"],
      "DOUBLE",
      ["1234.5", "-2.0", "3.0", "-4.25"],
    ],
    [
      { v: "1 234,56" },
      ["1 234,56 €", "1\u00a0234\u202f567 €", "− 5 €"],
      "DOUBLE",
      ["1234.56", "1234567.0", "-5.0"],
    ],
    [{ v: "1'234.56" }, ["CHF 1'234.50", "CHF 1’000", "CHF -5"], "DOUBLE", ["1234.5", "1000.0", "-5.0"]],
    [{ v: "1234,56" }, ["12,5 %", "100%", "-0,1 %"], "DOUBLE", ["0.125", "1.0", "-0.001"]],
    [{ v: "1.234,56" }, ["12.345.678.901.234.567,89"], "DECIMAL(19,2)", ["12345678901234567.89"]],
    [{ v: "1,234.56" }, ["1,234", "56"], "BIGINT", ["1234", "56"]],
    [{ v: "1.234,56" }, ["10,00-", "+5,00"], "DOUBLE", ["-10.0", "5.0"]],
    [
      { v: "1,234.56" },
      ["12.3456789012345678901 %", "-1,234.5%", "0%", "100%"],
      "DECIMAL(23,21)",
      [
        "0.123456789012345678901",
        "-12.345000000000000000000",
        "0.000000000000000000000",
        "1.000000000000000000000",
      ],
    ],
    [{ v: "1.234,56" }, ["12.345.678.901.234.567.890 €"], "HUGEINT", ["12345678901234567890"]],
  ])("%j %j", async ([numbers, values, type, read]) => {
    const content = `v\n${values.map((value) => `"${value}"`).join("\n")}\n`;
    expect(await readFile({ content, reading: { numbers: numbers ?? {} } })).toMatchObject({
      columns: `v ${type}`,
      rows: read.map((value) => [value]),
    });
  });

  test.for([
    ["1.234,56", ["1.234,56", "x"], /^Line 3: “x” in the column v is no number written like 1\.234,56/],
    ["1.234,56", ["12.34,5"], /^Line 2: “12\.34,5”/],
    ["1,234.56", ["007"], /^Line 2: “007”/],
    [
      "1,234.56",
      ["$1", "€2"],
      /^Line 3: “€2” in the column v has another unit than the first value, which has \$/,
    ],
    ["1,234.56", ["$1", "2"], /^Line 3: “2” in the column v has another unit/],
    ["1234,56", ["5 kg"], /^Line 2: “5 kg”/],
  ] as const)("%s refuses %j", async ([form, values, message]) => {
    const content = `v\n${values.map((value) => `"${value}"`).join("\n")}\n`;
    const outcome = await readFile({ content, reading: { numbers: { v: form } } });
    expect(outcome).toEqual({ refused: expect.stringMatching(message) });
  });

  test("and the preview offers those forms that hold all values", async () => {
    using space = createUploadWorkspace();
    const content = [
      "de|en|both|plain|text|percent|mixed",
      "1.234,5|1,234.5|1,234|1.234|a|5 %|1 €",
      "2|3|4,567|2.345|1,5|7,5 %|2 $",
    ].join("\n");
    expect(await space.preview(space.file(`${content}\n`))).toMatchObject({
      preview: {
        numberReadings: [
          { column: "de", form: "1.234,56", written: "1.234,5", read: "1234.5" },
          { column: "en", form: "1,234.56", written: "1,234.5", read: "1234.5" },
          { column: "both", form: "1,234.56", written: "1,234", read: "1234" },
          { column: "both", form: "1234,56", written: "1,234", read: "1.234" },
          { column: "plain", form: "1.234,56", written: "1.234", read: "1234" },
          { column: "percent", form: "1234,56", written: "7,5 %", read: "0.075" },
        ],
      },
    });
  });
});

describe("is refused with a sentence that helps:", () => {
  test.for<[string, AwkwardFile, RegExp]>([
    [
      "an encoding that the file does not show",
      { content: latin1("id,name\n1,x\n2,café au lait\n") },
      /^Line 3 is not UTF-8\. In windows-1252 \(Western Europe\) it reads “2,café au lait”\. Send encoding: windows-1252/,
    ],
    ["names in such an encoding", { content: latin1("größe\r1\r") }, /^Line 1 is not UTF-8\. .*“größe”/],
    [
      "UTF-8 that is not",
      { content: latin1("a\né\n"), reading: { encoding: "utf-8" } },
      /^Line 2 is not UTF-8\. Choose another encoding/,
    ],
    [
      "bytes that the encoding does not have",
      { content: Buffer.from([0x61, 0x0a, 0x82, 0x0a]), reading: { encoding: "shift_jis" } },
      /^The file has bytes that are no text in shift_jis/,
    ],
    [
      "UTF-16 that is cut",
      { content: utf16("\ufeffa,b\n1,2\n").subarray(0, -1) },
      /^The file has bytes that are no text in utf-16le/,
    ],
    ["UTF-32 without a mark", { content: Buffer.from("000000610000000a", "hex") }, /^The file is UTF-32/],
    [
      "gzip in gzip",
      { content: gzipSync(gzipSync("a\n1\n")) },
      /^The file is packed with gzip twice\. Unpack it once/,
    ],
    [
      "an archive of files in gzip",
      {
        content: gzipSync(Buffer.concat([Buffer.alloc(257, "a"), Buffer.from("ustar\0"), Buffer.alloc(300)])),
      },
      /^The file is an archive/,
    ],
    ["a database", { content: "SQLite format 3\0aaaa" }, /^The file is a database/],
    [
      "a title above names, with the delimiters of a table",
      { content: "Sales 2024,,\nname,amount,day\nx,1,2024-01-01\ny,2,2024-01-02\n" },
      /^Line 1 names 1 of 3 columns\. Send header with the number of the line that has the names \(probably 2\), or 1/,
    ],
    [
      "a title of as many parts as there are columns, and a blank line",
      { content: "Report, May 2024\n\nname,amount\nx,1\n" },
      /^Line 1 can have the names of the columns, or a title, as a blank line is below it\. Send header: 1 .* or header: 3/,
    ],
    ["UTF-32", { content: Buffer.from("fffe0000610000000a000000", "hex") }, /^The file is UTF-32/],
    [
      "a broken gzip",
      { content: gzipSync("a,b\n1,2\n".repeat(1000)).subarray(0, 40) },
      /^The file is packed with gzip, and a part of it is damaged/,
    ],
    [
      "a gzip bomb",
      { content: gzipSync(Buffer.alloc(70 * 1024 ** 2, "1\n")) },
      /^The file has more than 64 MiB when it is unpacked/,
    ],
    [
      "a picture",
      { content: Buffer.from("\x89PNG\r\n\x1a\n\0\0", "latin1") },
      /^The file is a picture, no table/,
    ],
    [
      "a photo",
      { content: Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 16]) },
      /^The file is a picture, no table/,
    ],
    ["a Word document", { content: zipOf({ "word/document.xml": "x" }) }, /^The file is a Word document/],
    [
      "an Excel file with the name of a CSV file",
      { content: excelOf({ sheets: { Data: rowsOf(["a"], [1]) } }) },
      /^The file is an Excel file\. Give it a name that ends in \.xlsx/,
    ],
    ["a zip archive", { content: "PK\x03\x04aaaa" }, /^The file is a zip archive/],
    [
      "an old Excel file",
      { content: Buffer.from("d0cf11e0a1b11ae1", "hex") },
      /^The file is an Excel file of the old format/,
    ],
    ["a page", { content: "<!DOCTYPE html><table>" }, /^The file is a page of HTML or XML/],
    ["a PDF", { content: "%PDF-1.7" }, /^The file is a PDF/],
    ["Parquet", { content: "PAR1\x15\x04\x15\x10" }, /^The file is a Parquet file/],
    ["a small picture", { content: "GIF89a\x01\0\x01\0" }, /^The file is a picture/],
    [
      "a database of DuckDB",
      { content: Buffer.from(`${"58c0afdd".repeat(2)}4455434b4000000000000000`, "hex") },
      /^The file is a database/,
    ],
    [
      "an archive of files",
      { content: Buffer.concat([Buffer.alloc(257, "a"), Buffer.from("ustar\x0000")]) },
      /^The file is an archive/,
    ],
    [
      "a line of one name again and again",
      { content: "a,".repeat(524_000) },
      /^The file has 524000 columns\. At most 1000 are possible/,
    ],
    [
      "a long name with many quotes",
      { content: `${"x".repeat(500_000)}${'"'.repeat(500_000)}\n1\n` },
      /^The name of column 1 has 1000000 characters\. At most 200 are possible/,
    ],
    [
      "a key of JSON again and again",
      { content: `{${Array(500_000).fill('"a":1').join()}}`, format: "json_lines" },
      /^Line 1 has the key a twice/,
    ],
    [
      "a long key of JSON twice",
      { content: `{"${"k".repeat(5000)}":1,"${"k".repeat(5000)}":1}`, format: "json_lines" },
      /^The name of column 1 has 5000 characters/,
    ],
    [
      "a bad byte beside a zero",
      { content: latin1("id,name\n1,x\n2,\0café\n") },
      /^Line 3 is not UTF-8\. .* it reads “2,café”/,
    ],

    [
      "names that can be values",
      { content: "1,Ann\n2,Ben\n" },
      /^Line 1 can have names or values: 1, Ann\. Send header: 1 if it names the columns, or header: 0/,
    ],
    ["a single line of values", { content: "1,2,3\n" }, /^Line 1 can have names or values/],
    ["an unknown separator", { content: "sep=#\na#b\n" }, /^Line 1 says that # separates the values/],
    ["too few values beside one without a name", { content: "a,b,\n1,2,3\n4,5\n" }, /^Line 3 has 2 values/],
    [
      "a short line after skipped ones",
      { content: "sep=,\nTitle\na,b\n1\n", reading: { header: 3 } },
      /^Line 4 has 1 value/,
    ],
    [
      "an open quote after skipped lines",
      { content: 'sep=,\na,b\n1,"2\n' },
      /^Line 3 has a quote that is not closed/,
    ],
    [
      "names on a line after the end",
      { content: "a,b\n1,2\n", reading: { header: 9 } },
      /^The file has no line 9\. Choose the line with the names/,
    ],
    ["nothing", { content: "\ufeff" }, /^The file is empty/],
    [
      "a list that is not closed",
      { content: '[{"a":1},{"a":2}', format: "json" },
      /^The list in the file is not closed/,
    ],
    [
      "a list with two commas",
      { content: '[{"a":1},,{"a":2}]', format: "json" },
      /^Nothing is between two commas after element 1/,
    ],
    [
      "a list with a comma at its end",
      { content: '[{"a":1},]', format: "json" },
      /^Nothing is between two commas after element 1/,
    ],
    [
      "text after a list",
      { content: '[{"a":1}] x', format: "json" },
      /^The file has text after the end of its list/,
    ],
    ["a list of numbers", { content: "[1,2]", format: "json" }, /^Element 1 is not an object of JSON/],
    [
      "an element that is broken",
      { content: '[{"a":1},{"a":}]', format: "json" },
      /^Element 2 is not an object of JSON/,
    ],
    ["an empty list", { content: "[]", format: "json" }, /^The file has no values/],
    [
      "a key twice in an element",
      { content: '[{"a":1},\n{"a":1,"a":2}]', format: "json" },
      /^Element 2 has the key a twice/,
    ],
    ["a number of JSON", { content: "12", format: "json" }, /^Element 1 is not an object of JSON/],
  ])("%s", async ([_, file, message]) => {
    expect(await readFile(file)).toEqual({ refused: expect.stringMatching(message) });
  });
});

test("an import reads as the preview does, refuses what is open, and leaves one file", async () => {
  using space = createUploadWorkspace();
  const file = space.file(gzipSync(utf16(`\ufeffsep=;\nid;v;v;\n1;1,5;ä;\n`)));
  expect(await space.change(importOf(file, { reading: { numbers: { v: "1234,56" } } }))).toMatchObject({
    changed: { table: { rowCount: 1 }, renamed: [{ position: 3, from: "v", to: "v_2" }] },
  });
  expect(await space.read("SELECT id, v, v_2 FROM sales")).toEqual([["1", 1.5, "ä"]]);
  const list = space.file('[{"a":1},\n{"a":2}]', "json");
  await space.change(importOf(list, { mode: "replace" }));
  expect(await space.read("SELECT a FROM sales")).toEqual([["1"], ["2"]]);
  for (const content of [latin1("a\né\n"), "1,Ann\n2,Ben\n"]) {
    expect(await space.change(importOf(space.file(content), { mode: "replace" }))).toMatchObject({
      kind: "refused",
      refusal: { message: expect.stringMatching(/^Line .* Send (encoding|header): /) },
    });
  }
  expect(space.contents()).toEqual(["uploads.duckdb"]);
});

test("a preview of a file in another encoding shows the guess and asks", async () => {
  using space = createUploadWorkspace();
  expect(await space.preview(space.file(latin1("sep=;\nname;1\ncafé;2\n")))).toMatchObject({
    preview: {
      reading: { encoding: "windows-1252", delimiter: ";", header: 2 },
      rows: [["café", "2"]],
      questions: [{ about: "encoding" }, { about: "header" }],
    },
  });
});
