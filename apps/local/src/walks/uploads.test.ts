import { excelOf, rowsOf } from "@querybell/engines/testing/excel-file";
import { describe, expect } from "vitest";
import { expectAccessible } from "../testing/expect-accessible.ts";
import { heading, saveNewQuery, signIn } from "../testing/steps.ts";
import { walkTest } from "../testing/walk-test.ts";

const csv = "fruit,weight,zip\napple,3,01234\npear,5,04321\n";

const fileOf = (name: string, content: string) => ({
  name,
  mimeType: "text/csv",
  buffer: Buffer.from(content),
});

describe("a file of one's own", () => {
  walkTest(
    "becomes a table in an empty organization, a query and a chart",
    async ({ page, make, worker: _ }) => {
      const owner = await make.owner();
      await page.goto("/");
      await signIn(page, owner.email);
      await page.getByRole("navigation").getByRole("link", { name: "Your data" }).click();
      await heading(page, "Your data");
      await page.getByRole("heading", { name: "No tables yet" }).waitFor();
      await expectAccessible(page);

      // A file of another kind is refused before it is sent.
      const chooser = page.getByLabel("File", { exact: true });
      await chooser.setInputFiles(fileOf("sales.doc", "x"));
      await page.getByText("sales.doc is no CSV, Excel, JSON or Parquet file.").waitFor();

      // A broken one says where.
      await chooser.setInputFiles(fileOf("broken.csv", "a,b\n1,2\n3\n"));
      await page.getByText("Line 3 has 1 value, but the first line names 2 columns.").waitFor();
      await page.getByRole("heading", { name: "broken.csv cannot be read" }).waitFor();
      await page.getByRole("button", { name: "Later" }).click();
      await page.getByText("It cannot be read as it is", { exact: true }).waitFor();
      await page.getByRole("button", { name: "Discard broken.csv" }).click();

      await chooser.setInputFiles(fileOf("fruit sales.csv", csv));
      await page.getByRole("heading", { name: "Import fruit sales.csv" }).waitFor();
      // The button of the drop zone is gone: the keyboard goes on from here.
      await page.locator("#page:focus").waitFor();
      const rows = page.getByRole("group", { name: "First rows of the file" });
      await rows.getByRole("cell", { name: "apple" }).waitFor();
      // A type that does not fit is refused, and can be taken back.
      await rows.getByRole("combobox", { name: "Type of fruit" }).click();
      await page.getByRole("option", { name: "BIGINT" }).click();
      await page.getByText(/“apple” in the column fruit cannot be stored exactly as BIGINT/).waitFor();
      await page.getByRole("button", { name: "Go back to what was guessed" }).click();
      // Zeros at the front make it a text.
      await rows.getByRole("cell", { name: "01234" }).waitFor();
      await rows.getByRole("combobox", { name: "Type of weight" }).click();
      await page.getByRole("option", { name: "DOUBLE" }).click();
      await rows.getByRole("cell", { name: "3.0" }).waitFor();
      await expectAccessible(page);
      expect(await page.getByRole("textbox", { name: "Name of the table" }).inputValue()).toBe("fruit_sales");
      await page.getByRole("textbox", { name: "Name of the table" }).fill("");
      await page.getByRole("button", { name: "Import", exact: true }).click();
      await page.getByText("Give the table a name.").waitFor();
      await page.getByRole("textbox", { name: "Name of the table" }).fill("sales");
      await page.getByRole("button", { name: "Import", exact: true }).click();
      await page.getByText("The table sales has 2 rows now.").waitFor();
      const tables = page.getByRole("list", { name: "Tables" });
      await tables.getByText("From fruit sales.csv").waitFor();
      await expectAccessible(page);

      // More rows are added to it.
      await chooser.setInputFiles(fileOf("more.csv", "fruit,weight,zip\nplum,2,00001\n"));
      await page.getByRole("radio", { name: "Add the rows to a table" }).click();
      // Enter opens the list. It does not import the file.
      await page.getByRole("combobox", { name: "Table", exact: true }).press("Enter");
      await page.getByRole("option", { name: "sales" }).waitFor();
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("Enter");
      await expectAccessible(page);
      await page.getByRole("button", { name: "Import", exact: true }).click();
      await page.getByText("The table sales has 3 rows now.").waitFor();

      await page.getByRole("button", { name: "Query this table: sales" }).click();
      await page.waitForURL(/\/queries\/new\?draft=[0-9a-f-]{36}$/);
      await page.getByRole("textbox", { name: "SQL" }).click();
      await page.keyboard.press("Control+Enter");
      await page.getByRole("gridcell", { name: "01234" }).waitFor();
      await saveNewQuery(page);
      await page.getByRole("tab", { name: "Charts" }).click();
      await page.getByRole("button", { name: "New chart" }).click();
      await page
        .getByRole("region", { name: "Preview" })
        .getByRole("application")
        .getByText("plum")
        .waitFor();
      await page.getByRole("button", { name: "Save", exact: true }).click();
      await page.waitForURL(/\/q\/\w+$/);
      await page.getByRole("group", { name: /^Chart: / }).waitFor();
      // What was read of the query before, without this chart, is read again.
      await page.getByText("charts.sales", { exact: true }).waitFor();

      await page.getByRole("navigation").getByRole("link", { name: "Your data" }).click();
      await page.getByRole("button", { name: "Drop sales" }).click();
      const dialog = page.getByRole("dialog", { name: "Drop the table sales?" });
      await dialog.getByText("Its 3 rows are deleted.").waitFor();
      await expectAccessible(page);
      await dialog.getByRole("button", { name: "Drop the table" }).click();
      await page.getByText("The table sales is dropped.").waitFor();
      await page.getByRole("heading", { name: "No tables yet" }).waitFor();

      // The editor, which has listed it before, no longer does.
      await page.getByRole("navigation").getByRole("link", { name: "Queries" }).click();
      await page.getByRole("link", { name: "sales" }).click();
      const listed = page.getByRole("region", { name: "Tables of the database" });
      await listed.getByText("charts.sales", { exact: true }).waitFor();
      await listed.getByRole("button", { name: "About sales" }).waitFor({ state: "detached" });
    },
  );

  walkTest(
    "has dates in an order that the page asks for, and odd names of columns",
    async ({ page, make }) => {
      const owner = await make.owner();
      await page.goto("/uploads");
      await signIn(page, owner.email);
      const chooser = page.getByLabel("File", { exact: true });
      const odd = "toString,constructor,__proto__,day\n1,2,3,01/02/2024\n";
      await chooser.setInputFiles(fileOf("odd.csv", odd));
      const rows = page.getByRole("group", { name: "First rows of the file" });
      await rows.getByRole("cell", { name: "01/02/2024" }).waitFor();
      await rows.getByRole("combobox", { name: "Type of toString" }).click();
      await page.getByRole("option", { name: "VARCHAR" }).click();
      await page.getByRole("button", { name: "Import", exact: true }).click();
      await page.getByText(/In the column day, 01\/02\/2024 can be 2024-02-01 or 2024-01-02/).waitFor();
      await expectAccessible(page);
      await page.getByRole("radio", { name: "The month first: 01/02/2024 is 2024-01-02" }).click();
      await rows.getByRole("cell", { name: "2024-01-02" }).waitFor();
      await page.getByRole("button", { name: "Import", exact: true }).click();
      await page.getByText("The table odd has 1 row now.").waitFor();

      // The table remembers the order, and the page shows the dates in it.
      await chooser.setInputFiles(fileOf("odd.csv", odd.replace("01/02", "03/04")));
      await page.getByRole("radio", { name: "Replace a table" }).click();
      await page.getByText("They are read as in the files of this table before.").waitFor();
      await rows.getByRole("cell", { name: "2024-03-04" }).waitFor();
      expect(await page.getByRole("radio", { name: /^The month first/ }).isChecked()).toBe(true);
      await expectAccessible(page);
      await page.getByRole("button", { name: "Import", exact: true }).click();
      await page.getByText("The table odd has 1 row now.").waitFor();
    },
  );

  walkTest(
    "is read in another encoding, with decimal commas, and keeps its table up to date",
    async ({ page, make }) => {
      const owner = await make.owner();
      await page.goto("/uploads");
      await signIn(page, owner.email);
      const chooser = page.getByLabel("File", { exact: true });
      const latin1 = (name: string, text: string) => ({
        name,
        mimeType: "text/csv",
        buffer: Buffer.from(text, "latin1"),
      });
      await chooser.setInputFiles(latin1("places.csv", "id;name;price;\n1;Café;1.234,50;\n2;Bar;2,00;\n"));
      const rows = page.getByRole("group", { name: "First rows of the file" });
      await rows.getByRole("cell", { name: "Café" }).waitFor();
      await page.getByText("The file is not UTF-8. Here it is read as windows-1252.").waitFor();
      await rows.getByRole("combobox", { name: "Numbers in price" }).click();
      await page.getByRole("option", { name: "1.234,50 is 1234.50" }).click();
      await rows.getByRole("cell", { name: "1234.5", exact: true }).waitFor();
      await expectAccessible(page);
      await page.getByRole("button", { name: "Import", exact: true }).click();
      await page.getByText("The table places has 2 rows now.").waitFor();

      await chooser.setInputFiles(latin1("next.csv", "id;name;price\n2;Bär;3,50\n3;Pub;1.000,00\n"));
      await rows.getByRole("cell", { name: "Bär" }).waitFor();
      await page.getByRole("radio", { name: /^Update a table/ }).click();
      await page.getByRole("combobox", { name: "Table", exact: true }).click();
      await page.getByRole("option", { name: "places" }).click();
      await rows.getByRole("cell", { name: "3.5", exact: true }).waitFor();
      await page.getByRole("button", { name: "Import", exact: true }).click();
      await page.getByText("Choose at least one column.").waitFor();
      await page.getByRole("combobox", { name: "Key" }).press("Enter");
      await page.getByRole("option", { name: "id" }).click();
      await page.keyboard.press("Escape");
      await page.getByText("1 row will be added and 1 changed.").waitFor();
      const changes = page.getByRole("group", { name: "Values that change" });
      await changes.getByRole("cell", { name: "Bär" }).waitFor();
      await expectAccessible(page);
      await page.getByRole("button", { name: "Import", exact: true }).click();
      await page.getByText("The table places has 3 rows now: 1 added, 1 changed.").waitFor();

      // A sheet of an Excel file, and a file whose first line can be names or values.
      const sheets = { Notes: rowsOf(["About"], ["x"]), Data: rowsOf(["city", "people"], ["Rome", 5]) };
      await chooser.setInputFiles({
        name: "cities.xlsx",
        mimeType: "application/octet-stream",
        buffer: excelOf({ sheets }),
      });
      await page.getByRole("combobox", { name: "Sheet" }).click();
      await page.getByRole("option", { name: "Data" }).click();
      await rows.getByRole("cell", { name: "Rome" }).waitFor();
      await page.getByRole("button", { name: "Import", exact: true }).click();
      await page.getByText("The table cities has 1 row now.").waitFor();

      // A cover sheet has no table, and a report has a title above its names.
      const covered = { Cover: rowsOf(["Report"]), Data: rowsOf(["city", "people"], ["Oslo", 7]) };
      await chooser.setInputFiles({
        name: "covered.xlsx",
        mimeType: "application/octet-stream",
        buffer: excelOf({ sheets: covered }),
      });
      await page.getByText("Choose another sheet (Data)").waitFor();
      await expectAccessible(page);
      await page.getByRole("combobox", { name: "Sheet" }).click();
      await page.getByRole("option", { name: "Data" }).click();
      await rows.getByRole("cell", { name: "Oslo" }).waitFor();
      await page.getByRole("button", { name: "Import", exact: true }).click();
      await page.getByText("The table covered has 1 row now.").waitFor();
      await chooser.setInputFiles(fileOf("report.csv", "Report\n\nid,city\n1,Rome\n2,Oslo\n"));
      await page.getByRole("button", { name: "Read the names from line 3" }).click();
      await rows.getByRole("cell", { name: "Oslo" }).waitFor();
      await page.getByRole("button", { name: "Import", exact: true }).click();
      await page.getByText("The table report has 2 rows now.").waitFor();
      // The next report is read alike, and the page says so.
      await chooser.setInputFiles(fileOf("report.csv", "Report,\n,\nid,city\n3,Kyiv\n"));
      await page.getByRole("radio", { name: "Replace a table" }).click();
      await page.getByText("Read as the files of this table before: names in line 3.").waitFor();
      await page.getByText("The file takes the place of its 2 rows.").waitFor();
      await page.getByRole("combobox", { name: "Table", exact: true }).fill("rep");
      expect(await page.getByRole("option").allTextContents()).toEqual(["report"]);
      await page.keyboard.press("Escape");
      await page.getByRole("button", { name: "Import", exact: true }).click();
      await page.getByText("The table report has 1 row now.").waitFor();
      // A title with the delimiters of a table is asked about.
      await chooser.setInputFiles(fileOf("titled.csv", "Sales 2024,\nid,city\n1,Lima\n"));
      await page.getByRole("radiogroup", { name: "What is in line 1?" }).waitFor();
      await page.getByLabel("Line with the names").fill("2");
      await rows.getByRole("columnheader", { name: "city" }).waitFor();
      await page.getByRole("button", { name: "Import", exact: true }).click();
      await page.getByText("The table titled has 1 row now.").waitFor();
      await chooser.setInputFiles(fileOf("plain.csv", "1,Ann\n2,Ben\n"));
      await page.getByRole("radio", { name: "Values: the file has no names" }).click();
      await rows.getByRole("cell", { name: "Ann" }).waitFor();
      await page.getByRole("button", { name: "Import", exact: true }).click();
      await page.getByText("The table plain has 2 rows now.").waitFor();
    },
  );

  walkTest(
    "whose numbers are written in another way than before is read as one chooses",
    async ({ page, make }) => {
      const owner = await make.owner();
      await page.goto("/uploads");
      await signIn(page, owner.email);
      const chooser = page.getByLabel("File", { exact: true });
      const rows = page.getByRole("group", { name: "First rows of the file" });
      const numbersIn = (column: string) => rows.getByRole("combobox", { name: `Numbers in ${column}` });
      const importFile = () => page.getByRole("button", { name: "Import", exact: true }).click();
      const addTo = async (table: string, action = "Add the rows to a table") => {
        await page.getByRole("radio", { name: action }).click();
        await page.getByRole("combobox", { name: "Table", exact: true }).click();
        await page.getByRole("option", { name: table }).click();
      };
      await chooser.setInputFiles(
        fileOf("sales.csv", "id;amount;price\n1;1.234,56;2,5\n2;1.000,00;1.000,5\n"),
      );
      await numbersIn("amount").click();
      await page.getByRole("option", { name: "1.234,56 is 1234.56" }).click();
      await rows.getByRole("cell", { name: "1234.56", exact: true }).waitFor();
      await numbersIn("price").click();
      await page.getByRole("option", { name: "1.000,5 is 1000.5" }).click();
      await rows.getByRole("cell", { name: "1000.5", exact: true }).waitFor();
      // In other lines there are other columns, and nothing that was chosen for these holds.
      await page.getByLabel("Line with the names").fill("0");
      await rows.getByRole("cell", { name: "1.234,56" }).waitFor();
      await page.getByLabel("Line with the names").fill("1");
      await rows.getByRole("columnheader", { name: "amount" }).waitFor();
      expect(await numbersIn("amount").inputValue()).toBe("As it is written");
      for (const [column, offer] of [
        ["amount", "1.234,56 is 1234.56"],
        ["price", "1.000,5 is 1000.5"],
      ] as const) {
        await numbersIn(column).click();
        await page.getByRole("option", { name: offer }).click();
      }
      await rows.getByRole("cell", { name: "1000.5", exact: true }).waitFor();
      await importFile();
      await page.getByText("The table sales has 2 rows now.").waitFor();

      // Next month, the amounts have points for decimals.
      await chooser.setInputFiles(fileOf("march.csv", "id;amount;price\n3;1,234.50;1.000,25\n4;0.5;3\n"));
      await addTo("sales");
      await page.getByText("“1,234.50” in the column amount is no number written like 1.234,56.").waitFor();
      const question = page.getByRole("radiogroup", {
        name: "How are the numbers in the column amount written?",
      });
      await question.getByRole("radio", { name: "Like 1,234.56: 1,234.50 is 1234.50" }).waitFor();
      // Texts cannot be added to numbers, and the table stays chosen.
      expect(await question.getByRole("radio").count()).toBe(1);
      expect(await page.getByRole("button", { name: "Import", exact: true }).count()).toBe(0);
      await expectAccessible(page);
      await question.getByRole("radio", { name: "Like 1,234.56: 1,234.50 is 1234.50" }).click();
      await rows.getByRole("cell", { name: "1234.5", exact: true }).waitFor();
      await rows.getByRole("cell", { name: "1000.25", exact: true }).waitFor();
      // The question is gone: the keyboard goes on from here.
      await page.locator("#page:focus").waitFor();
      expect(await page.getByRole("combobox", { name: "Table", exact: true }).inputValue()).toBe("sales");
      await importFile();
      await page.getByText("The table sales has 4 rows now.").waitFor();

      // What the table remembers can be changed where several forms fit.
      await chooser.setInputFiles(fileOf("april.csv", "id;amount;price\n5;7;1.250\n"));
      await addTo("sales");
      await rows.getByRole("cell", { name: "1250", exact: true }).waitFor();
      await numbersIn("price").click();
      await page.getByRole("option", { name: "1.250 is 1.250" }).click();
      await rows.getByRole("cell", { name: "1.25", exact: true }).waitFor();
      await importFile();
      await page.getByText("The table sales has 5 rows now.").waitFor();

      // A form that was chosen for one table does not hold for another one.
      await chooser.setInputFiles(fileOf("other.csv", "id;amount;price\n1;2,5;2,5\n"));
      await numbersIn("amount").waitFor();
      await importFile();
      await page.getByText("The table other has 1 row now.").waitFor();
      await chooser.setInputFiles(fileOf("next.csv", "id;amount;price\n7;7;1.250\n"));
      await addTo("sales");
      await numbersIn("price").click();
      await page.getByRole("option", { name: "1.250 is 1250", exact: true }).click();
      await rows.getByRole("cell", { name: "1250", exact: true }).waitFor();
      await addTo("other");
      await rows.getByRole("cell", { name: "1.25", exact: true }).waitFor();
      await addTo("sales");
      await rows.getByRole("cell", { name: "1.25", exact: true }).waitFor();
      expect(await numbersIn("price").inputValue()).toBe("1.250 is 1.250");
      await page.getByRole("button", { name: "Discard the file" }).click();

      // A table that is replaced can get texts.
      await chooser.setInputFiles(fileOf("may.csv", "id;amount;price\n6;none;1.5\n"));
      await addTo("sales", "Replace a table");
      await question.getByRole("radio", { name: "They are text: keep them as they are written" }).click();
      await rows.getByRole("cell", { name: "none", exact: true }).waitFor();
      await importFile();
      await page.getByText("The table sales has 1 row now.").waitFor();
    },
  );

  walkTest("that is no longer waiting is named at its address", async ({ page, make }) => {
    const owner = await make.owner();
    await page.goto("/uploads");
    await signIn(page, owner.email);
    await page.getByLabel("File", { exact: true }).setInputFiles(fileOf("fruit.csv", csv));
    await page.getByRole("heading", { name: "Import fruit.csv" }).waitFor();
    const address = page.url();
    await page.getByRole("button", { name: "Discard the file" }).click();
    await page.getByRole("button", { name: "Choose a file" }).waitFor();
    expect(await page.getByRole("alert").count()).toBe(0);

    await page.goto(address);
    await page.getByRole("alert").filter({ hasText: "This file is no longer waiting" }).waitFor();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Close" }).click();
    await page.waitForURL(/\/uploads$/);
    expect(await page.getByRole("alert").count()).toBe(0);
  });

  walkTest("is for admins alone where an admin says so", async ({ page, visit, make }) => {
    const owner = await make.owner();
    const member = await make.member(owner.organizationId);
    await page.goto("/settings/organization");
    await signIn(page, owner.email);
    await page.getByRole("radio", { name: "Admins and owners only" }).click();
    await page.getByRole("button", { name: "Save who uploads" }).click();
    await page.getByText("Saved.", { exact: true }).waitFor();
    const theirs = await visit({ as: member, path: "/uploads" });
    await theirs.getByText("Only admins upload files in this organization.").waitFor();
    expect(await theirs.getByRole("button", { name: "Choose a file" }).count()).toBe(0);
    await expectAccessible(theirs);
  });
});
