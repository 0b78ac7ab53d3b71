import type { Page } from "playwright-core";

interface PageState {
  /** The name of its picture. */
  name: string;
  path: string;
  /** What a person does on the page to get there. */
  reach: (page: Page) => Promise<unknown>;
  /** Undoes what others would see, such as a file that was uploaded. */
  leave?: (page: Page) => Promise<unknown>;
}

const csv = `ordered_on,customer,country,total,is_new,zip
2026-01-03,Amara Okafor,NG,119.90,true,01234
2026-01-04,Jonas Weber,DE,42.00,false,10115
2026-01-04,Chloé Martin,FR,,true,75011
`;

const upload = async (page: Page) => {
  const file = { name: "orders of january.csv", mimeType: "text/csv", buffer: Buffer.from(csv) };
  await page.getByLabel("File", { exact: true }).setInputFiles(file);
  await page.getByRole("cell", { name: "Amara Okafor" }).waitFor();
};

const engine = (name: string) => (page: Page) =>
  page.getByRole("radiogroup", { name: "Engine" }).getByText(name).click();

const find = async (page: Page) => {
  await page.keyboard.press("Control+K");
  await page.getByRole("textbox", { name: "Search or run a command" }).fill("revenue");
  await page.getByRole("dialog").getByText("Revenue by month").first().waitFor();
};

const openFirst = (list: RegExp) => async (page: Page) => {
  await page.getByRole("main").getByRole("link", { name: list }).first().click();
  await page.getByRole("heading", { level: 1, name: list }).waitFor();
};

const tab = (name: string) => async (page: Page) => {
  await openFirst(/^Revenue by month/)(page);
  await page.getByRole("tab", { name }).click();
};

/** States of pages that their addresses alone do not show. */
export const pageStates: PageState[] = [
  {
    name: "uploads_import",
    path: "/uploads",
    reach: upload,
    leave: (page) => page.getByRole("button", { name: "Discard the file" }).click(),
  },
  { name: "uploads_gone", path: "/uploads?file=gone", reach: (page) => page.getByRole("alert").waitFor() },
  { name: "database_trino", path: "/settings/databases/new", reach: engine("Trino") },
  { name: "database_duckdb", path: "/settings/databases/new", reach: engine("DuckDB file") },
  { name: "palette", path: "/", reach: find },
  { name: "query_runs", path: "/queries", reach: tab("Runs") },
  { name: "query_versions", path: "/queries", reach: tab("Versions") },
  { name: "query_references", path: "/queries", reach: tab("Charts") },
  { name: "unknown", path: "/q/0000000000", reach: () => Promise.resolve() },
];
