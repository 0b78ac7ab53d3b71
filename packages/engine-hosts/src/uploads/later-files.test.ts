import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { FileReading } from "@querybell/domain/file-reading";
import type { TableChange, UploadedFile } from "@querybell/engines";
import { excelOf, rowsOf } from "@querybell/engines/testing/excel-file";
import { describe, expect, test } from "vitest";
import { createUploadWorkspace, importOf } from "./testing/upload-workspace.ts";

type Mode = Extract<TableChange, { kind: "import" }>["mode"];
type Numbers = NonNullable<FileReading["numbers"]>;
type NumberForm = Numbers[string];

interface Later {
  mode?: Mode;
  /** What is sent. */
  numbers?: Numbers;
  /** What the table remembers. */
  numbersBefore?: Numbers;
  format?: UploadedFile["format"];
}

/** A table, and what comes of the files that are added to it: a sentence if it is refused. */
function createTable() {
  const space = createUploadWorkspace();
  return {
    space,
    async add(content: string | Uint8Array, later: Later = {}): Promise<string> {
      const { mode = "append", numbers, numbersBefore, format } = later;
      const outcome = await space.change(
        importOf(space.file(content, format), {
          mode,
          key: ["id"],
          reading: numbers ? { numbers } : {},
          numbersBefore,
        }),
      );
      return outcome.kind === "refused" ? outcome.refusal.message : outcome.kind;
    },
    [Symbol.dispose]: () => space[Symbol.dispose](),
  };
}

const german = "1.234,56";

describe("the form of numbers that a table remembers", () => {
  test.for(["Amount", "AMOUNT", "amount"])("is that of a column %s", async (name) => {
    using table = createTable();
    await table.add("id;amount\n1;1.234,5\n", { mode: "create", numbers: { amount: german } });
    const later = `id;${name}\n2;1.234\n3;2.500\n`;
    expect(await table.add(later, { numbersBefore: { amount: german } })).toBe("changed");
    expect(await table.add(`id;${name}\n4;3.000\n`, { numbers: { aMount: german } })).toBe("changed");
    expect(await table.space.read("SELECT amount FROM sales ORDER BY id")).toEqual([
      [1234.5],
      [1234],
      [2500],
      [3000],
    ]);
  });

  test("and its unit hold for a column whose name is in another case", async () => {
    using table = createTable();
    await table.add("id;rate\n1;5 %\n", { mode: "create", numbers: { rate: german } });
    expect(await table.add("id;Rate\n2;5\n", { numbersBefore: { rate: german } })).toMatch(
      /^The values of the column rate have no unit, but those of the table sales came with %/,
    );
  });

  test("is shown in the preview under the name that the file has", async () => {
    using space = createUploadWorkspace();
    const numbersBefore = { amount: german, gone: german } as const;
    expect(await space.preview(space.file("Amount\n1.234\n"), {}, { numbersBefore })).toMatchObject({
      preview: { reading: { numbers: { Amount: german } }, rows: [["1234"]] },
    });
  });

  test.for<[string, string[], [NumberForm, string, string][]]>([
    ["a point and no thousands", ["1234.5", "2"], [["1234.56", "1234.5", "1234.5"]]],
    ["points for decimals", ["1,234.50", "2.5"], [["1,234.56", "1,234.50", "1234.50"]]],
    ["a space for thousands", ["1 234", "1 234,5"], [["1 234,56", "1 234,5", "1234.5"]]],
    ["no numbers", ["1.234,56", "n/a"], []],
  ])("is refused for %s with the forms that fit", async ([, values, readings]) => {
    using space = createUploadWorkspace();
    const content = `id|price|Amount\n${values.map((value) => `1|2,5|${value}`).join("\n")}\n`;
    const numbersBefore = { price: german, amount: german } as const;
    expect(await space.preview(space.file(content), {}, { numbersBefore })).toMatchObject({
      refusal: {
        message: expect.stringContaining("in the column Amount is no number written like 1.234,56."),
        found: {
          reading: { delimiter: "|", numbers: { price: german, Amount: german } },
          misread: {
            column: "Amount",
            numberReadings: readings.map(([form, written, read]) => ({
              column: "Amount",
              form,
              written,
              read,
            })),
          },
        },
      },
    });
  });

  test("is offered in the preview beside the others that fit", async () => {
    using space = createUploadWorkspace();
    const numbersBefore = { v: german } as const;
    const offered = async (
      values: string,
      choices: Parameters<typeof space.preview>[2] = { numbersBefore },
    ) => {
      const outcome = await space.preview(space.file(`v|w\n${values}\n`), {}, choices);
      if (outcome.kind !== "previewed") throw new Error(outcome.refusal.message);
      return outcome.preview.numberReadings.map(({ form, written, read }) => [form, written, read]);
    };
    const both = [
      ["1234.56", "1.234", "1.234"],
      [german, "1.234", "1234"],
    ];
    expect(await offered("1.234|")).toEqual(both);
    // The longest number does not show how they differ.
    expect(await offered("1.234|\n1234567|")).toEqual(both);
    // Without a separator, all forms are the same, and the chosen one is offered.
    expect(await offered("5|")).toEqual([[german, "5", "5"]]);
    expect(await offered("5 €|", { reading: { numbers: { v: "1 234,56" } } })).toEqual([
      ["1 234,56", "5 €", "5"],
    ]);
  });

  test("is asked for also where the values come late in a file", async () => {
    using space = createUploadWorkspace();
    const content = `v|w\n${"|1\n".repeat(20_001)}1.5|1\n`;
    expect(await space.preview(space.file(content), {}, { numbersBefore: { v: "1,234.56" } })).toMatchObject({
      preview: { numberReadings: [{ form: "1,234.56", written: "1.5" }] },
    });
    expect(await space.preview(space.file(content), {}, { numbersBefore: { v: "1234,56" } })).toMatchObject({
      refusal: { found: { misread: { numberReadings: [{ form: "1234.56", written: "1.5" }] } } },
    });
  });

  test("is not needed for a file with numbers, and not for a table with other columns", async () => {
    using table = createTable();
    const numbersBefore = { amount: german } as const;
    await table.add("id;amount\n1;1.234,5\n", { mode: "create", numbers: numbersBefore });
    const excel = excelOf({ sheets: { Data: rowsOf(["id", "amount"], [2, 0.5]) } });
    expect(await table.add(excel, { numbersBefore, format: "excel" })).toBe("changed");
    expect(await table.add('{"id":3,"amount":1.25}', { numbersBefore, format: "json" })).toBe("changed");
    expect(await table.space.read("SELECT amount FROM sales ORDER BY id")).toEqual([[1234.5], [0.5], [1.25]]);
    expect(await table.add("id;other\n1;2\n", { mode: "replace", numbersBefore })).toBe("changed");
  });

  test("is not left out for texts", async () => {
    using table = createTable();
    await table.add("id;amount;v\n1;1.234,5;1\n", { mode: "create", numbers: { amount: german } });
    const message =
      /^The numbers of the column Amount came to the table sales written in a form\. Send numbers/;
    expect(await table.add("id;Amount;v\n2;1.234;2\n", { numbers: {} })).toMatch(message);
    expect(await table.add("id;Amount;v\n2;1.234;2\n", { numbers: { v: german } })).toMatch(message);
    expect(await table.add("id;Amount;v\n2;;2\n", { numbers: {} })).toBe("changed");
    expect(await table.add("id;Amount;v\n3;1.234;2\n", { numbers: { Amount: "1234.56" } })).toBe("changed");
    expect(await table.space.read("SELECT amount FROM sales ORDER BY id")).toEqual([
      [1234.5],
      [null],
      [1.234],
    ]);
  });
});

describe("a form of numbers is refused", () => {
  test.for<[string, string, Numbers, RegExp]>([
    [
      "for a column that is not there",
      "amount;v\n1,5;2\n",
      { amuont: german },
      /^The file has no column amuont\. Leave out how its numbers are written\./,
    ],
    [
      "for a column that has one",
      "amount\n5\n",
      { amount: german, Amount: "1,234.56" },
      /^The column Amount is in numbers twice\./,
    ],
  ])("%s", async ([, content, numbers, message]) => {
    using table = createTable();
    expect(await table.add(content, { mode: "create", numbers })).toMatch(message);
  });

  test("for Parquet", async () => {
    using space = createUploadWorkspace();
    const path = join(space.root, "v.parquet");
    await space.change(importOf(space.file("v\n1.5\n")));
    await space.read(`COPY (SELECT '1,5' AS v) TO '${path}'`);
    const file = space.file(readFileSync(path), "parquet");
    expect(await space.preview(file, {}, { reading: { numbers: { v: german } } })).toMatchObject({
      refusal: { message: expect.stringMatching(/^The numbers of a Parquet file are read as they are/) },
    });
  });
});

describe("a unit that the values of a table did not come with is refused:", () => {
  test.for(["5 %", "€ 5"])("%s", async (value) => {
    using table = createTable();
    await table.add("id;rate;name\n1;5.5;\n", { mode: "create" });
    const numbers = { rate: "1,234.56" } as const;
    for (const mode of ["append", "upsert"] as const) {
      expect(await table.add(`id;rate;name\n2;${value};\n`, { mode, numbers })).toMatch(
        /^The values of the column rate have the unit [%€], but those of the table sales came with none/,
      );
    }
    expect(await table.add("id;rate;name\n2;1,000.5;\n", { numbers })).toBe("changed");
    expect(await table.space.read("SELECT rate FROM sales ORDER BY id")).toEqual([[5.5], [1000.5]]);
  });

  test("unless the column has no values", async () => {
    using table = createTable();
    await table.add('{"id":1,"rate":null,"v":0.5}', { mode: "create", format: "json" });
    await table.add("id;rate;v\n1;;0.5\n", { mode: "replace" });
    const numbers = { rate: "1,234.56" } as const;
    expect(await table.add("id;rate;v\n2;5 %;1\n", { numbers })).toBe("changed");
    expect(await table.add("id;rate;v\n3;5;1\n", { numbers })).toMatch(/have no unit, .* came with %/);
  });
});

describe("names are the same whatever their case and the form of their accents:", () => {
  const [composed, decomposed] = ["Prix payé".normalize("NFC"), "PRIX PAYÉ".normalize("NFD")];
  const first = `id;${composed};ÉTAT;jour à\n1;5,5 €;a;31/01/2024\n`;
  const later = `ID;${decomposed};état;JOUR À\n2;6 €;b;01/02/2024\n`;
  const numbers = { [decomposed]: german } as const;

  test.for(["append", "upsert"] as const)("%s", async (mode) => {
    using table = createTable();
    await table.add(first, { mode: "create", numbers });
    expect(await table.add(later, { mode, numbers })).toBe("changed");
    expect(await table.space.read("SELECT CAST(COLUMNS(*) AS VARCHAR) FROM sales ORDER BY id")).toEqual([
      ["1", "5.5", "a", "2024-01-31"],
      ["2", "6.0", "b", "2024-02-01"],
    ]);
  });

  test("but not if other spaces are in them, which a sentence says", async () => {
    using table = createTable();
    await table.add("id,first name\n1,a\n", { mode: "create" });
    for (const name of ["first\u00a0name", "firstname", "\u200bFirst name"]) {
      expect(await table.add(`id,${name}\n2,b\n`)).toMatch(
        /the table sales has first name: the names differ in spaces, or in characters that are not shown/,
      );
    }
    expect(await table.add("id,name\n2,b\n")).toMatch(/^The file has a column name, which the table sales/);
  });

  test.for([
    ["id,v,ID\n1,2,3\n", /^The file has another column ID, which the table sales does not have/],
    ["id,v,\n1,2,3\n", /^The file has a column without a name \(3\), which the table sales does not have/],
  ] as const)("so that %j has one too many", async ([content, message]) => {
    using table = createTable();
    await table.add("id,v\n1,2\n", { mode: "create" });
    expect(await table.add(content)).toMatch(message);
  });

  test("in the key, in types, and in one file", async () => {
    using space = createUploadWorkspace();
    const file = space.file(`é;${"É".normalize("NFD")};v\n1;2;3\n`);
    expect(await space.preview(file, { V: "VARCHAR" })).toMatchObject({
      preview: {
        columns: [{}, { name: `${"É".normalize("NFD")}_2` }, { name: "v", type: "VARCHAR" }],
      },
    });
    await space.change(importOf(file));
    const upsert = importOf(space.file("É;é_2;V\n1;2;4\n"), { mode: "upsert", key: ["É"] });
    expect(await space.change(upsert)).toMatchObject({ changed: { update: { changed: 1 } } });
  });
});

describe("a file that has only the names of a table's columns and replaces it", () => {
  const first = "id;amount;day\n1;1.234,5;31/01/2024\n";

  test("leaves the table its types, and what it knows of its values", async () => {
    using table = createTable();
    await table.add(first, { mode: "create", numbers: { amount: german } });
    expect(await table.add("Amount;id;day\n", { mode: "replace" })).toBe("changed");
    expect(await table.space.read("SELECT name, type FROM pragma_table_info('sales')")).toEqual([
      ["id", "BIGINT"],
      ["amount", "DOUBLE"],
      ["day", "DATE"],
    ]);
    expect(await table.add("id;amount;day\n2;1.234;01/02/2024\n")).toMatch(
      /^The numbers of the column amount came/,
    );
    expect(await table.add("id;amount;day\n2;1.234;01/02/2024\n", { numbers: { amount: german } })).toBe(
      "changed",
    );
    expect(await table.space.read("SELECT id, amount, CAST(day AS VARCHAR) FROM sales")).toEqual([
      ["2", 1234, "2024-02-01"],
    ]);
  });

  test("with other columns makes them texts", async () => {
    using table = createTable();
    await table.add(first, { mode: "create", numbers: { amount: german } });
    expect(await table.add("id;other\n", { mode: "replace" })).toBe("changed");
    expect(await table.space.read("SELECT name, type FROM pragma_table_info('sales')")).toEqual([
      ["id", "VARCHAR"],
      ["other", "VARCHAR"],
    ]);
  });
});
