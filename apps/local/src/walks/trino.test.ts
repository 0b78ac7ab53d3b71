import { clusterStartMs, hasTrino, startCluster } from "@querybell/engines/testing/trino";
import { describe } from "vitest";
import { expectAccessible } from "../testing/expect-accessible.ts";
import { walkTest } from "../testing/walk-test.ts";

describe.skipIf(!hasTrino)("a Trino cluster", () => {
  walkTest(
    "is added through the form, and a query runs on a schema that is chosen from its catalog",
    { timeout: clusterStartMs },
    async ({ visit, make, worker: _ }) => {
      const { hostname, port } = new URL((await startCluster()).url);
      const owner = await make.owner();
      const page = await visit({ as: owner, path: "/settings/databases/new" });
      await page.getByLabel("Name", { exact: true }).fill("Lake");
      await page.getByText("Trino", { exact: true }).click();
      await page.getByLabel("Host", { exact: true }).fill(hostname);
      await page.getByLabel("Port", { exact: true }).fill(port);
      await page.getByLabel("Catalog", { exact: true }).fill("absent");
      await page.getByLabel("User", { exact: true }).fill("querybell");
      await page.getByLabel("TLS", { exact: true }).selectOption("Off: not encrypted");
      await page.getByLabel("Credentials", { exact: true }).selectOption("None: the user name alone");
      const testConnection = page.getByRole("button", { name: "Test the connection" });
      await testConnection.click();
      await page.getByText(/^No connection to a database at/).waitFor();
      await page.getByLabel("Catalog", { exact: true }).fill("tpch");
      await page.getByLabel("Schema (optional)", { exact: true }).fill("tiny");
      await testConnection.click();
      await page.getByText(/^It works: Trino \d+ answered/).waitFor();
      const warning = page.getByText(/can read the catalog system/);
      await warning.waitFor();
      await expectAccessible(page);
      await page.getByRole("button", { name: "Add the database" }).click();
      await page.getByRole("list", { name: "Databases" }).getByText("Lake").waitFor();
      await page.getByRole("alert").filter({ has: warning }).waitFor();

      await page.goto("/queries/new");
      const tables = page.getByRole("region", { name: "Tables of the database" });
      await tables.getByText("tiny.nation", { exact: true }).waitFor();
      await tables.getByRole("combobox", { name: "Schema" }).click();
      await page.getByRole("option", { name: "sf1", exact: true }).click();
      await tables.getByText("sf1.nation", { exact: true }).waitFor();
      await page.getByRole("textbox", { name: "SQL" }).click();
      await page.keyboard.type("SELECT name FROM ");
      await tables.getByText("sf1.nation", { exact: true }).click();
      await page.getByRole("textbox", { name: "SQL" }).click();
      await page.keyboard.press("Control+End");
      await page.keyboard.type(" WHERE regionkey = 3 ORDER BY name LIMIT 2");
      await page.keyboard.press("Control+Enter");
      await page.getByRole("gridcell", { name: "FRANCE" }).waitFor();
      await page.getByRole("gridcell", { name: "GERMANY" }).waitFor();
    },
  );
});
