import type { Page } from "playwright-core";
import { describe, expect, inject } from "vitest";
import { demoWalk } from "../testing/demo-walk.ts";
import { expectAccessible } from "../testing/expect-accessible.ts";
import { listAddresses, openPage, publicPages, readPages } from "../testing/pages.ts";
import { createVisits } from "../testing/visits.ts";

/** One window for all pages, so that the browser loads and compiles what they share once. */
const test = demoWalk.extend("signedIn", { scope: "file" }, async ({ windows, demo }, { onCleanup }) => {
  const visits = createVisits(windows);
  onCleanup(visits.end);
  const page = await visits.visit({ as: demo, silent: true });
  // A page asks before what was pasted into its fields is lost.
  page.on("dialog", (dialog) => dialog.accept());
  await copyElsewhere(page);
  return page;
});

/** Formatted text, as copied from a document or a chat. */
const copied = `<meta charset="utf-8"><p style="color: red"><b style="font-weight: 400">SELECT</b> 1</p>`;
const copy = `navigator.clipboard.write([new ClipboardItem({
  "text/html": new Blob([${JSON.stringify(copied)}], { type: "text/html" }),
  "text/plain": new Blob(["SELECT 1"], { type: "text/plain" }),
})])`;

/**
 * Copies the text in another page, without a policy: the browser reads its styles when they are copied, too. All pages
 * of the browser share what is copied.
 */
async function copyElsewhere(page: Page): Promise<void> {
  const other = await page.context().newPage();
  await other.route("/copied", (route) =>
    route.fulfill({ contentType: "text/html", body: "<p>A document</p>" }),
  );
  await other.goto("/copied");
  await other.evaluate(copy);
  await other.close();
}

const fields =
  'textarea, [contenteditable="true"], input:not([type]), input[type="text"], input[type="search"]';

/** Pastes formatted text into every field. */
async function pasteEverywhere(page: Page): Promise<void> {
  await page.bringToFront();
  for (const field of await page.locator(fields).all()) {
    if (!(await field.isVisible()) || !(await field.isEditable())) continue;
    await field.focus();
    await page.keyboard.press("ControlOrMeta+V");
    const isEditor = (await field.getAttribute("contenteditable")) === "true";
    if (isEditor) expect(await field.textContent()).toContain("SELECT 1");
  }
}

/**
 * Every page of the router, also one that is added later: no violation of axe's rules in either colour scheme at either
 * size, nothing at all in the console, also when formatted text is pasted, and no weak content security policy.
 */
describe("every page", () => {
  for (const address of readPages(inject("webFolder"))) {
    test(address, async ({ visit, signedIn }) => {
      const page = publicPages.includes(address) ? await visit({ silent: true }) : signedIn;
      for (const path of await listAddresses(page.request, address, { most: 1 })) {
        await openPage(page, path);
        await expectAccessible(page);
        await pasteEverywhere(page);
      }
    });
  }
});

interface Opening {
  /** The dialog's name. */
  name: string | RegExp;
  path: string;
  /** The controls that open it, in order. */
  steps: ((page: Page) => Promise<void>)[];
}

const button = (name: string | RegExp) => (page: Page) => page.getByRole("button", { name }).first().click();
/** Opens the page of something in a list, and waits for it: a button of the list must not be taken for one of the page. */
const link = (name: string) => async (page: Page) => {
  await page.getByRole("main").getByRole("link", { name }).first().click();
  await page.getByRole("heading", { name, level: 1 }).waitFor();
};
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
    path: "/charts",
    steps: [link("Find customers"), button("More"), item("Delete")],
  },
  {
    name: "Delete “The shop this morning”?",
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

test("every dialog that asks or takes input can be read by everybody", async ({ visit, demo }) => {
  const page = await visit({ as: demo });
  for (const { name, path, steps } of dialogs) {
    await page.goto(path);
    for (const step of steps) await step(page);
    await page.getByRole("dialog", { name }).waitFor();
    await expectAccessible(page);
  }
});
