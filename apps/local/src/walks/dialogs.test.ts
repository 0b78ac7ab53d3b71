import type { Page } from "playwright-core";
import { demoWalk } from "../testing/demo-walk.ts";
import { expectAccessible } from "../testing/expect-accessible.ts";

interface Opening {
  /** The dialog's name. */
  name: string | RegExp;
  path: string;
  /** The controls that open it, in order. */
  steps: ((page: Page) => Promise<void>)[];
}

const button = (name: string | RegExp) => (page: Page) => page.getByRole("button", { name }).first().click();
const link = (name: string) => (page: Page) =>
  page.getByRole("main").getByRole("link", { name }).first().click();
const item = (name: string) => (page: Page) => page.getByRole("menuitem", { name }).click();
const cell = async (page: Page) => {
  await page.getByRole("gridcell").first().click();
  await page.keyboard.press("Enter");
};

const warehouse = { path: "/settings/webhooks", open: link("127.0.0.1:9/warehouse") };

/** The dialogs that no other walk checks with axe. */
const dialogs: Opening[] = [
  { name: "Parameters", path: "/queries", steps: [link("Revenue by month"), button("Define")] },
  { name: "id · integer", path: "/queries", steps: [link("Find customers"), cell] },
  {
    name: "Delete “Find customers”?",
    path: "/references",
    steps: [link("Find customers"), button("More"), item("Delete")],
  },
  {
    name: "Delete The shop this morning?",
    path: "/automations",
    steps: [link("The shop this morning"), button("More"), item("Delete")],
  },
  { name: /^Rotate/, path: warehouse.path, steps: [warehouse.open, button("Rotate")] },
  { name: /^Disable/, path: warehouse.path, steps: [warehouse.open, button("Disable")] },
  { name: /^Delete/, path: warehouse.path, steps: [warehouse.open, button("Delete")] },
  { name: /^Delete the database/, path: "/settings/databases", steps: [button("Delete Sample shop")] },
  { name: /^Remove/, path: "/settings/members", steps: [button(/^Remove /)] },
  { name: /^Invite/, path: "/settings/members", steps: [button("Invite somebody")] },
];

demoWalk("every dialog that asks or takes input can be read by everybody", async ({ visit, demo }) => {
  const page = await visit({ as: demo });
  for (const { name, path, steps } of dialogs) {
    await page.goto(path);
    for (const step of steps) await step(page);
    await page.getByRole("dialog", { name }).waitFor();
    await expectAccessible(page);
  }
});
