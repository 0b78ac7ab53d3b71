import { updateSettings } from "@querybell/core/organizations";
import { createPublicLink, refreshPublishedChoices, updatePublishedPage } from "@querybell/core/public-links";
import { createQuery } from "@querybell/core/queries";
import { createReference } from "@querybell/core/references";
import { runQuery } from "@querybell/core/runs";
import { dbTest, execute, queuedJobs } from "@querybell/core/testing";
import { type Caller, CreatePublicLink } from "@querybell/domain";
import { createPublicRole } from "@querybell/prisma";
import { pino } from "pino";
import { openPageStore } from "../page-store.ts";
import { createPublicServer } from "../server.ts";

const marginConfig = { top: 16, right: 24, bottom: 24, left: 16 };

/** What a test publishes: rows are shown, and `secret` stays in the organization. */
const shownText = "shown <script>alert(1)</script>";
export const secretText = "never-published";

/** A test with the public process, which uses its own role. It asks for each request whether a link still works. */
export const publicTest = dbTest
  // The role belongs to the server, so all test files need the same password.
  .extend("publicDatabaseUrl", { scope: "file" }, ({ superuserUrl }) =>
    createPublicRole(superuserUrl, "test"),
  )
  .extend("store", { scope: "file" }, ({ publicDatabaseUrl, onError }, { onCleanup }) => {
    const store = openPageStore({ url: publicDatabaseUrl, poolSize: 4, onError });
    onCleanup(() => store.close());
    return store;
  })
  .extend("pages", { scope: "file" }, async ({ store, clock }, { onCleanup }) => {
    const server = createPublicServer({
      ...{ store, logger: pino({ level: "silent" }), baseUrl: "https://pages.example", checkEveryMs: 0 },
      now: () => clock.now(),
    });
    onCleanup(() => server.close());
    return { url: await server.listen(0, "127.0.0.1"), flushViews: server.flushViews };
  })
  /** An organization with a chart and a table, each with a result, and one with a result that is not published. */
  .extend("shop", { scope: "file" }, async ({ deps, make }) => {
    const owner = await make.owner();
    await updateSettings(deps, owner, { publicLinks: true });
    const { id: analyticalDatabaseConfigId } = await make.database(owner);
    const chart = async (
      title: string,
      sql: string,
      {
        type,
        jsxConfig,
        parameterValues = {},
      }: { type: "bar" | "table"; jsxConfig: string; parameterValues?: Record<string, string> },
    ) => {
      const query = await createQuery(deps, owner, { sql, analyticalDatabaseConfigId });
      const visualization = { type, jsxConfig, marginConfig };
      const reference = await createReference(deps, owner, { queryId: query.id, title, visualization });
      await execute(deps, (await runQuery(deps, owner, { id: query.id, parameterValues })).id);
      return reference.id;
    };
    return {
      owner,
      bars: await chart("Fruit", "SELECT name, weight FROM fruits", {
        type: "bar",
        jsxConfig: '<BarChart><XAxis dataKey="name" /><Bar dataKey="weight" /></BarChart>',
      }),
      table: await chart(
        "Rows",
        `SELECT '${shownText}' AS shown, '${secretText}' AS secret, 12345678901234567890 AS amount`,
        { type: "table", jsxConfig: '<Table><Column dataKey="secret" hide={true} /></Table>' },
      ),
      secret: await chart("Secret", `SELECT '${secretText}' AS name`, { type: "table", jsxConfig: "" }),
      /** It has a stored result for a value that is not published. */
      chosen: await chart(
        "Chosen",
        `SELECT CASE WHEN {{region}} = 'east' THEN '${secretText}' ELSE 'All of ' || {{region}} END AS text`,
        { type: "table", jsxConfig: "", parameterValues: { region: "east" } },
      ),
    };
  })
  /** Publishes a chart, and returns its path. */
  .extend(
    "publish",
    { scope: "file" },
    ({ deps }) =>
      async (caller: Caller, id: string, more: object = {}) => {
        const item = { kind: "reference", id };
        const link = await createPublicLink(deps, caller, CreatePublicLink.parse({ item, ...more }));
        return { id: link.id, path: new URL(link.url).pathname };
      },
  )
  /** Publishes a chart whose visitors choose a region, with the results of two, and returns its path. */
  .extend("publishRegions", { scope: "file" }, ({ deps, shop, publish }) => async () => {
    const choices = [{ name: "region", values: ["north", "south & west"] }];
    const link = await publish(shop.owner, shop.chosen, { choices });
    for (const job of await queuedJobs(deps, "refresh_published_choices"))
      await refreshPublishedChoices(deps, job);
    for (const { id } of await deps.db.prisma.queryRun.findMany({ where: { status: "pending" } }))
      await execute(deps, id);
    await updatePublishedPage(deps, { linkId: link.id });
    await deps.db.pool.query("DELETE FROM graphile_worker._private_jobs");
    return link;
  });
