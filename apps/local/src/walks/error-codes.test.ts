import { updateAutomation } from "@querybell/core/automations";
import { deleteDatabase } from "@querybell/core/databases";
import { createQuery, updateQuery } from "@querybell/core/queries";
import { createReference } from "@querybell/core/references";
import { type ErrorCode, errorCodes, newId } from "@querybell/domain";
import { freePort } from "@querybell/embedded-postgres";
import { startModelServer } from "@querybell/models/testing";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { heading, signIn } from "../testing/steps.ts";
import { walkTest } from "../testing/walk-test.ts";

/** The codes that another walk shows on a page, and those that no page can show. */
const elsewhere: Partial<Record<ErrorCode, string>> = {
  invalid_request: "settings.test.ts: a lifetime of 400 days",
  unauthorized: "sign-in.test.ts: a session that has ended",
  webhooks_not_enabled: "settings.test.ts: the page says whom to ask",
  session_switched: "frame.test.ts: a window that shows one from which the session was switched",
  last_owner: "settings.test.ts: the only owner becomes a member",
  query_changed: "queries.test.ts: two editors of one query",
  reference_changed: "charts.test.ts: a chart that was saved in another window",
  dashboard_changed: "dashboards.test.ts: two editors of one dashboard",
  draft_changed: "drafts.test.ts: a draft that was changed on another device",
  database_unreachable: "settings.test.ts: a port on which nothing listens",
  unavailable: "connection.test.ts: the api is killed",
  upload_unreadable: "uploads.test.ts: a line with too few values",
  budget_used: "schema.test.ts: help with SQL when no tokens are left",
  model_missing: "models.test.ts: the choice is disabled, with the reason beside it",
  quota_exceeded: "only a file of more than 2 GiB; uploads.test.ts of the api holds its words",
  disk_full: "only a full disk; uploads.test.ts of the engines holds its words",
  confirmation_required: "the app asks for the second factor, and sends the call again",
  second_factor_required: "the frame says what the organization demands, from `me.get`, before a page asks",
  single_sign_on_required: "the frame says so too, from `me.get`",
  domain_unproven: "people.test.ts: a domain without its TXT record",
  internal: "a bug alone makes it; failure.test.ts holds its words",
  invalid_cursor: "cursors are in no address: a page sends only what the api gave it",
  query_already_running: "queries.refresh alone: pages run, and join the run that goes on",
  claim_lost: "external agents alone",
  route_retired: "the REST routes alone",
  method_not_allowed: "the REST routes alone",
  unsupported_media_type: "the REST routes alone",
};

const here: ErrorCode[] = [];
const shows = (code: ErrorCode): ErrorCode => {
  here.push(code);
  return code;
};

/** Waits for the message. Unless it is the page itself, it must be announced to screen readers. */
const alert = (page: Page, words: string | RegExp): Promise<void> =>
  page.getByRole("alert").filter({ hasText: words }).first().waitFor();

async function testModel(page: Page, url: string): Promise<void> {
  await page.getByLabel("URL").fill(url);
  await page.getByLabel("Model", { exact: true }).fill("small");
  await page.getByRole("button", { name: "Test the model" }).click();
}

async function saveSql(page: Page, sql: string): Promise<void> {
  await page.getByRole("textbox", { name: "SQL" }).click();
  await page.keyboard.press("Control+a");
  await page.keyboard.press("Delete");
  await page.keyboard.insertText(sql);
  await page.keyboard.press("Control+s");
}

const count = { name: "n", displayName: "Count", type: "integer", description: "" } as const;

describe("on a page, reads", () => {
  const refused: [ErrorCode, string, RegExp][] = [
    ["invalid_sql", "-- nothing", /There is no statement in this SQL\. Write one\./],
    ["multiple_statements", "SELECT 1; SELECT 2", /A query is one statement; another starts at line 1/],
    ["misplaced_placeholder", 'SELECT "{{a}}"', /A placeholder stands for a value/],
    [
      "statement_too_large",
      `SELECT ${Array.from({ length: 101 }, (_, n) => `{{a${n}}}`).join(", ")}`,
      /101 different names; at most/,
    ],
  ];
  walkTest(refused.map(([code]) => shows(code)).join(", "), async ({ visit, make }) => {
    const owner = await make.owner();
    const { id } = await make.query(owner, "SELECT 1");
    const page = await visit({ as: owner, path: `/queries/${id}` });
    for (const [, sql, words] of refused) {
      await saveSql(page, sql);
      await alert(page, words);
    }
  });

  walkTest(shows("unknown_placeholder"), async ({ visit, make, deps, worker: _ }) => {
    const owner = await make.owner();
    const { id, version } = await make.query(owner, "SELECT {{n}} AS one");
    const parameters = [{ ...count, defaultValue: "1" }];
    const { shortId } = await createReference(deps, owner, { queryId: id, parameters });
    const page = await visit({ as: owner, path: `/q/${shortId}` });
    await page.getByRole("button", { name: "Run the query" }).click();
    await page.getByRole("gridcell", { name: "1" }).first().waitFor();
    await page.goto(`/q/${shortId}/edit`);
    await page.getByRole("button", { name: "Save", exact: true }).waitFor();
    // A colleague adds a parameter meanwhile.
    await updateQuery(deps, owner, { id, version, sql: "SELECT {{n}} AS one, {{m}} AS two" });
    await page.getByRole("tab", { name: "Parameters" }).click();
    await page.getByLabel("Label").fill("Another");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await alert(page, "No parameter is defined for {{m}}. Define it, or correct its name.");
  });

  walkTest(shows("invalid_visualization"), async ({ visit, make, deps, worker: _ }) => {
    const owner = await make.owner();
    const { id } = await make.query(owner, "SELECT 1 AS one");
    const { shortId } = await createReference(deps, owner, { queryId: id, parameters: [] });
    const page = await visit({ as: owner, path: `/queries/${id}` });
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await page.getByRole("gridcell", { name: "1" }).first().waitFor();
    await page.goto(`/q/${shortId}/edit`);
    await page.getByText("Text", { exact: true }).click();
    await page.getByRole("textbox", { name: "The chart as text" }).click();
    await page.keyboard.press("Control+a");
    await page.keyboard.press("Delete");
    await page.keyboard.insertText("<script>");
    await alert(page, /script/);
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await alert(page, "The chart is not saved: its text has an error.");
    expect(
      await page
        .getByRole("alert")
        .filter({ hasText: /script/ })
        .count(),
    ).toBe(1);
    expect(await page.getByText("jsxConfig").count()).toBe(0);
  });

  walkTest(shows("invalid_parameter_value"), async ({ visit, make, deps }) => {
    const owner = await make.owner();
    const { id: queryId } = await make.query(owner, "SELECT {{n}}");
    const { shortId } = await createReference(deps, owner, { queryId, parameters: [count] });
    const page = await visit({ as: owner, path: `/q/${shortId}?n=many` });
    await heading(page, "It needs values first");
    await page.getByText("Takes a whole number of at most 64 bits, such as 42.").first().waitFor();
  });

  walkTest(shows("missing_parameter_values"), async ({ visit, make, deps }) => {
    const owner = await make.owner();
    const { id: queryId } = await make.query(owner, "SELECT {{n}}");
    const { shortId } = await createReference(deps, owner, { queryId, parameters: [count] });
    const page = await visit({ as: owner, path: `/q/${shortId}` });
    await page.getByRole("button", { name: "Run the query" }).click();
    await page.getByText("Is required.").waitFor();
  });

  walkTest(shows("result_not_found"), async ({ visit, make }) => {
    const owner = await make.owner();
    const { shortId } = await make.reference(owner, "SELECT 1");
    const page = await visit({ as: owner, path: `/q/${shortId}` });
    await page.getByText("There is no cached result for these values yet.").waitFor();
  });

  walkTest(shows("not_found"), async ({ visit, make, clock }) => {
    const page = await visit({ as: await make.owner(), path: `/queries/${newId(clock)}` });
    await page.getByText("There is no such query in this organization").waitFor();
  });

  walkTest(shows("forbidden"), async ({ visit, make }) => {
    const owner = await make.owner();
    const admin = await make.member(owner.organizationId, "admin");
    const page = await visit({ as: admin, path: "/settings/members" });
    await page.getByLabel(`Role of ${owner.name}`).selectOption("Member");
    await page.getByRole("button", { name: `Change the role of ${owner.name}` }).click();
    await alert(page, "Only an owner can do this to an owner, or make somebody one.");
  });

  walkTest(shows("cross_site_request"), async ({ visit, make, api, port }) => {
    const owner = await make.owner();
    const page = await visit({ path: `http://127.0.0.1:${port}/sign-in` });
    await signIn(page, owner.email);
    await alert(page, `Signing in, and all that needs it, works only at ${api.url}. Open Querybell there`);
  });

  walkTest(shows("conflict"), async ({ visit, make }) => {
    const owner = await make.owner();
    const { email } = await make.member(owner.organizationId);
    const page = await visit({ as: owner, path: "/settings/members" });
    await page.getByRole("button", { name: "Invite somebody" }).click();
    await page.getByRole("dialog").getByLabel("Email address").fill(email);
    await page.getByRole("dialog").getByRole("button", { name: "Invite", exact: true }).click();
    await alert(page, `${email} is a member of this organization already.`);
  });

  walkTest(shows("automation_busy"), async ({ visit, make }) => {
    const owner = await make.owner();
    const { id } = await make.automation(owner, { agent: "external", whenBusy: "refuse" });
    const page = await visit({ as: owner, path: `/automations/${id}` });
    const run = page.getByRole("button", { name: "Run now" });
    await run.click();
    await page.getByText("A run of Watch the fruits has started.").waitFor();
    await run.click();
    await alert(page, "A run of this automation is unfinished. Wait until it ends, or stop it.");
  });

  walkTest(shows("automation_paused"), async ({ visit, make, deps }) => {
    const owner = await make.owner();
    const { id } = await make.automation(owner);
    const page = await visit({ as: owner, path: `/automations/${id}` });
    await page.getByRole("button", { name: "Run now" }).waitFor();
    await updateAutomation(deps, owner, { id, enabled: false });
    await page.getByRole("button", { name: "Run now" }).click();
    await alert(page, "This automation is paused. Resume it, or run it once although it is paused.");
  });

  walkTest(shows("database_deleted"), async ({ visit, make, deps }) => {
    const owner = await make.owner();
    const { id, analyticalDatabaseConfigId } = await make.query(owner, "SELECT 1");
    await make.database(owner);
    await deleteDatabase(deps, owner, { id: analyticalDatabaseConfigId });
    const page = await visit({ as: owner, path: `/queries/${id}` });
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await alert(page, "The database of this query was deleted. Choose another database for the query");
  });

  walkTest(shows("payload_too_large"), async ({ visit, make }) => {
    const owner = await make.owner();
    const { shortId } = await make.reference(owner, "SELECT 1");
    const page = await visit({ as: owner, path: `/q/${shortId}` });
    await page.getByRole("button", { name: "Edit the title" }).click();
    await page.getByRole("textbox", { name: "The title" }).fill("é".repeat(600_000));
    await page.getByRole("button", { name: "Save the title" }).click();
    await page.getByText("This is more than the 1 MiB that a request may have. Send less at once.").waitFor();
  });

  walkTest(shows("database_credentials_refused"), async ({ visit, make, databaseUrl }) => {
    const { hostname, port, pathname } = new URL(databaseUrl);
    const owner = await make.owner();
    await make.database(owner, { engine: "postgres" });
    const page = await visit({ as: owner, path: "/settings/databases" });
    // The reason is shown only for a server to which the organization has connected before.
    await page.getByRole("button", { name: "Test the connection to A postgres database" }).click();
    await page.getByText("It works: Postgres 18").waitFor();
    await page.goto("/settings/databases/new");
    await page.getByLabel("Host", { exact: true }).fill(hostname);
    await page.getByLabel("Port", { exact: true }).fill(port);
    await page.getByLabel("Database", { exact: true }).fill(pathname.slice(1));
    await page.getByLabel("User", { exact: true }).fill("nobody_known_here");
    await page.getByLabel("TLS", { exact: true }).selectOption("Off: not encrypted");
    await page.getByLabel("Password", { exact: true }).fill("wrong");
    await page.getByRole("button", { name: "Test the connection" }).click();
    await page.getByText(/refused the user or the password/).waitFor();
  });

  walkTest(shows("query_failed"), async ({ visit, make, worker: _ }) => {
    const owner = await make.owner();
    const { id } = await make.query(owner, "SELECT weigth FROM fruits");
    const page = await visit({ as: owner, path: `/queries/${id}` });
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await alert(page, /weigth.*Line 1, column 8\./s);
  });

  walkTest(shows("rate_limited"), async ({ visit }) => {
    const page = await visit({ path: "/sign-in" });
    for (let tries = 0; tries <= 10; tries++) {
      const answered = page.waitForResponse(/sign-in\/email/);
      await signIn(page, "somebody@example.test", "not the password");
      await answered;
    }
    await alert(page, /Too many failed tries\. Wait \d+ minutes, then try again\./);
  });

  walkTest(shows("model_unreachable"), async ({ visit, make }) => {
    const page = await visit({ as: await make.owner(), path: "/settings/model" });
    await testModel(page, `http://127.0.0.1:${await freePort()}/v1`);
    await page.getByRole("status").filter({ hasText: "The model's server did not answer" }).waitFor();
  });

  walkTest(shows("model_refused"), async ({ visit, make }) => {
    await using server = await startModelServer(() => ({
      kind: "status",
      status: 401,
      body: JSON.stringify({ error: { message: "Unknown key" } }),
    }));
    const page = await visit({ as: await make.owner(), path: "/settings/model" });
    await testModel(page, server.url);
    await page.getByRole("status").filter({ hasText: "The model's server refused" }).waitFor();
  });

  walkTest(shows("result_expired"), async ({ visit, make, deps, clock, worker: _ }) => {
    const owner = await make.owner();
    const { id } = await make.query(owner, "SELECT 1 AS one");
    const { shortId } = await createReference(deps, owner, { queryId: id, parameters: [] });
    const page = await visit({ as: owner, path: `/q/${shortId}` });
    await page.getByRole("button", { name: "Run the query" }).click();
    await page.getByRole("gridcell", { name: "1" }).first().waitFor();
    await clock.advance(2 * 86_400_000);
    await page.goto(`/queries/${id}`);
    await page.getByText("The cached result has expired.").waitFor();
  });

  walkTest(shows("cursor_expired"), async ({ visit, make, deps, clock }) => {
    const owner = await make.owner();
    const { id, analyticalDatabaseConfigId } = await make.query(owner, "SELECT 0");
    for (let n = 1; n <= 50; n++) {
      await createQuery(deps, owner, { sql: `SELECT ${n}`, analyticalDatabaseConfigId });
    }
    const page = await visit({ as: owner, path: "/queries" });
    const more = page.getByRole("button", { name: "Show more" });
    await more.waitFor();
    await clock.advance(25 * 3_600_000);
    await more.click();
    await alert(page, "This list is too old to go on. Load it again from the beginning.");
    expect(await page.locator(`a[href="/queries/${id}"]`).count()).toBe(0);
    const retry = page.getByRole("button", { name: "Try again" });
    await retry.click();
    // Until the list is loaded again, it goes on with its old cursor.
    await retry.waitFor({ state: "detached" });
    await more.click();
    await page.locator(`a[href="/queries/${id}"]`).waitFor();
  });
});

test("every code is shown here or in another walk, or no page can show it", () => {
  expect([...here, ...Object.keys(elsewhere)].sort()).toEqual(Object.keys(errorCodes).sort());
});
