import { type Caller, CreatePublicLink } from "@querybell/domain";
import { PublishedContent, readTokenHash } from "@querybell/public-pages";
import { describe, expect } from "vitest";
import {
  getDashboard,
  noteEndedRefreshes,
  refreshDueDashboards,
  updateDashboard,
} from "../dashboards/index.ts";
import { makeDashboard } from "../dashboards/testing/make-dashboard.ts";
import { updateSettings } from "../organizations/index.ts";
import { createQuery } from "../queries/index.ts";
import { createReference } from "../references/index.ts";
import { appError } from "../testing/app-error.ts";
import { dbTest } from "../testing/db-test.ts";
import { queuedJobs } from "../testing/queued-jobs.ts";
import { execute } from "../testing/run-states.ts";
import {
  createPublicLink,
  listPublicLinks,
  publishAgain,
  refreshPublishedChoices,
  updatePublicLink,
  updatePublishedPage,
} from "./index.ts";
import { writePage } from "./write-page.ts";

const fruit = { name: "fruit", displayName: "Fruit", type: "string", description: "" } as const;
const floor = {
  name: "floor",
  displayName: "",
  type: "integer",
  description: "",
  defaultValue: "0",
} as const;

const test = dbTest
  .extend("shop", { scope: "file" }, async ({ deps, make }) => {
    const owner = await make.owner();
    await updateSettings(deps, owner, { publicLinks: true });
    const { id: analyticalDatabaseConfigId } = await make.database(owner);
    return { owner, analyticalDatabaseConfigId };
  })
  /** A dashboard with a filter for a fruit, that feeds one of two charts. */
  .extend("board", async ({ deps, shop }) => {
    const { owner } = shop;
    const { id } = await makeDashboard(deps, owner, {
      analyticalDatabaseConfigId: shop.analyticalDatabaseConfigId,
      statements: [
        "SELECT name || '!' AS name FROM fruits WHERE name = {{fruit}}",
        "SELECT random() AS number",
      ],
    });
    const { title, description, content, version } = await getDashboard(deps, owner, { id });
    const filters = { definitions: [fruit, floor], choices: {}, ranges: [], matches: [] };
    await updateDashboard(deps, owner, { id, version, title, description, content: { ...content, filters } });
    return { kind: "dashboard", id } as const;
  })
  .extend(
    "publish",
    { scope: "file" },
    ({ deps }) =>
      (caller: Caller, item: object, choices: object[]) =>
        createPublicLink(deps, caller, CreatePublicLink.parse({ item, choices })),
  )
  /** Does what workers do, until nothing is left. */
  .extend("work", { scope: "file" }, ({ deps }) => async () => {
    for (const job of await queuedJobs(deps, "refresh_published_choices"))
      await refreshPublishedChoices(deps, job);
    const runs = await deps.db.prisma.queryRun.findMany({ where: { status: "pending", leaderId: null } });
    for (const { id } of runs) await execute(deps, id);
    for (const job of await queuedJobs(deps, "update_published_page")) await updatePublishedPage(deps, job);
    await deps.db.pool.query("DELETE FROM graphile_worker._private_jobs");
  })
  /** The pages that the public process finds for an address, in the order of their numbers. */
  .extend("pagesOf", { scope: "file" }, ({ deps }) => async (url: string) => {
    const hash = Buffer.from(readTokenHash(new URL(url).pathname.slice(3)) ?? []);
    const { rows } = await deps.db.pool.query<{ version: string; content: unknown }>(
      `SELECT page->>'version' AS version, content FROM find_public_link($1), jsonb_array_elements(pages) AS page,
         read_published_page($1, (page->>'number')::int) ORDER BY (page->>'number')::int`,
      [hash],
    );
    return rows.map(({ version, content }) => ({ version, content: PublishedContent.parse(content) }));
  });

const firstRows = ({ content }: { content: PublishedContent }) => {
  const [tile] = content.tabs[0]?.tiles ?? [];
  return tile?.kind === "table" ? tile.rows : tile?.kind;
};

describe("a page with choices", () => {
  test("has a page for each combination of published values, whose queries run for it", async ({
    deps,
    shop: { owner },
    board,
    publish,
    work,
    pagesOf,
  }) => {
    const link = await publish(owner, board, [
      { name: "fruit", values: ["pear", "apple"] },
      { name: "floor", values: ["", "6"] },
    ]);
    expect(link).toMatchObject({ state: "no_page", pagesTotal: 4, pagesMade: 0 });
    await work();
    const pages = await pagesOf(link.url);
    expect(pages.map(firstRows)).toEqual([[["pear!"]], [["pear!"]], [["apple!"]], [["apple!"]]]);
    expect(pages.map(({ content }) => content.filters?.map(({ value }) => value))).toEqual([
      ["pear", ""],
      ["pear", "6"],
      ["apple", ""],
      ["apple", "6"],
    ]);
    expect(pages[0]?.content.filters).toMatchObject([
      { label: "Fruit", choices: [{ label: "pear" }, { label: "apple" }] },
      { label: "floor", choices: [{ value: "", label: "0" }, { label: "6" }] },
    ]);
    for (const { content } of pages) expect(content.asOf).not.toBeNull();
    const { links } = await listPublicLinks(deps, owner);
    expect(links.find(({ id }) => id === link.id)).toMatchObject({
      state: "open",
      pagesMade: 4,
      failure: null,
    });
    expect(await updatePublishedPage(deps, { linkId: link.id })).toBe("unchanged");
  });

  test("is computed again when it is published again, by the schedule, and not twice when a job is repeated", async ({
    deps,
    shop: { owner },
    board,
    publish,
    work,
    pagesOf,
    clock,
  }) => {
    const link = await publish(owner, board, [{ name: "fruit", values: ["pear", "apple"] }]);
    const [job] = await queuedJobs(deps, "refresh_published_choices");
    await work();
    const refreshes = () => deps.db.prisma.dashboardRefresh.count({ where: { dashboardId: board.id } });
    expect(await refreshes()).toBe(2);
    if (!job) expect.unreachable();
    expect(await refreshPublishedChoices(deps, job)).toBe("started");
    expect(await refreshes()).toBe(2);

    const versions = async () => (await pagesOf(link.url)).map(({ version }) => version);
    const before = await versions();
    await clock.advance(5_000);
    await publishAgain(deps, owner, { id: link.id });
    await work();
    const published = await versions();
    expect(published.filter((version) => before.includes(version))).toEqual([]);

    const schedule = { cron: "0 * * * *", timeZone: "Europe/Berlin" };
    await updateDashboard(deps, owner, { id: board.id, autoRefresh: { schedule, onOpenSeconds: null } });
    await clock.advance(3_600_000);
    expect(await refreshDueDashboards(deps)).toEqual({ started: 1, failed: 0 });
    await work();
    await noteEndedRefreshes(deps);
    expect((await versions()).filter((version) => published.includes(version))).toEqual([]);
  });

  test("is refused where its address would be too long", async ({ shop: { owner }, board, publish }) => {
    const choices = (value: string) => [{ name: "fruit", values: ["pear", value] }];
    await publish(owner, board, choices("a".repeat(1_000)));
    // Each takes twelve characters of the address.
    await expect(publish(owner, board, choices("😀".repeat(500)))).rejects.toEqual(
      appError("invalid_request", /make it too long/),
    );
  });

  test("of two changes at once, the later one is checked against what the first has stored", async ({
    deps,
    shop: { owner },
    board,
    publish,
  }) => {
    const { id } = await publish(owner, board, []);
    const choices = [{ name: "fruit", values: ["pear"] }];
    const changes = await Promise.allSettled([
      updatePublicLink(deps, owner, { id, isFollowing: false }),
      updatePublicLink(deps, owner, { id, choices }),
    ]);
    const refused = changes.flatMap((change) => (change.status === "rejected" ? [change.reason] : []));
    expect(refused).toEqual([expect.objectContaining({ code: "invalid_request" })]);
  });

  test("loses its pages when the choices change, and a page that is drawn late is not written", async ({
    deps,
    shop: { owner },
    board,
    publish,
    work,
    pagesOf,
  }) => {
    const choices = [{ name: "fruit", values: ["pear", "apple"] }];
    const link = await publish(owner, board, choices);
    await work();
    const [first] = await pagesOf(link.url);
    if (!first) expect.unreachable();
    const changed = await updatePublicLink(deps, owner, {
      id: link.id,
      choices: [{ name: "fruit", values: ["apple"] }],
    });
    expect(changed).toMatchObject({ pagesTotal: 1, pagesMade: 0 });
    const { organizationId } = owner;
    const snapshot = { readAt: new Date(), content: first.content, files: [], charts: [] };
    await deps.db.transaction((tx) =>
      writePage(tx, { linkId: link.id, organizationId, number: 0, choices, snapshot }),
    );
    expect(await pagesOf(link.url)).toEqual([]);
    await work();
    expect((await pagesOf(link.url)).map(firstRows)).toEqual([[["apple!"]]]);
    await updatePublicLink(deps, owner, { id: link.id, choices: [] });
    const [plain] = await pagesOf(link.url);
    expect(plain?.content.filters).toEqual([]);
  });

  test("of a chart has the values of its parameters", async ({ deps, shop, publish, work, pagesOf }) => {
    const { owner, analyticalDatabaseConfigId } = shop;
    const query = await createQuery(deps, owner, {
      ...{
        sql: "SELECT name FROM fruits WHERE weight > {{floor}} ORDER BY name",
        analyticalDatabaseConfigId,
      },
    });
    const { id } = await createReference(deps, owner, {
      queryId: query.id,
      title: "Heavy",
      parameters: [floor],
    });
    const item = { kind: "reference", id };
    const link = await publish(owner, item, [{ name: "floor", values: ["4", ""] }]);
    await work();
    expect((await pagesOf(link.url)).map(firstRows)).toEqual([[["pear"]], [["apple"], ["pear"]]]);
  });
});

test("choices are refused that the item does not have, that do not fit, or that are too many", async ({
  deps,
  shop,
  board,
  publish,
  make,
}) => {
  const { owner, analyticalDatabaseConfigId } = shop;
  await expect(publish(owner, board, [{ name: "floor", values: ["", "high"] }])).rejects.toMatchObject(
    appError("invalid_parameter_value"),
  );
  await expect(publish(owner, board, [{ name: "colour", values: [""] }])).rejects.toMatchObject(
    appError("invalid_request", /^The dashboard has no filter colour: visitors cannot choose it\.$/),
  );
  const many = (count: number) => Array.from({ length: count }, (_, at) => String(at));
  const tooMany = [
    { name: "fruit", values: many(8) },
    { name: "floor", values: many(7) },
  ];
  expect(CreatePublicLink.safeParse({ item: board, choices: tooMany }).error?.issues).toMatchObject([
    { message: "must have at most 50 combinations of values: these have 56" },
  ]);
  const large = await makeDashboard(deps, owner, {
    analyticalDatabaseConfigId,
    statements: many(13).map((number) => `SELECT ${number} AS number WHERE {{floor}} <> ''`),
  });
  const { title, description, content, version } = await getDashboard(deps, owner, { id: large.id });
  const text = { ...floor, type: "string" } as const;
  await updateDashboard(deps, owner, {
    ...{ id: large.id, version, title, description },
    content: { ...content, filters: { ...content.filters, definitions: [text] } },
  });
  await expect(
    publish(owner, { kind: "dashboard", id: large.id }, [{ name: "floor", values: many(50) }]),
  ).rejects.toMatchObject(appError("invalid_request", /50 combinations of values with 13 charts/));
  const fixed = { item: board, isFollowing: false, choices: [{ name: "fruit", values: ["pear"] }] };
  await expect(createPublicLink(deps, owner, CreatePublicLink.parse(fixed))).rejects.toMatchObject(
    appError("invalid_request", /isFollowing must be true/),
  );
  const own = await createQuery(deps, owner, {
    ...{ sql: "SELECT {{user_email}} AS email WHERE {{fruit}} <> ''", analyticalDatabaseConfigId },
  });
  const personal = await createReference(deps, owner, { queryId: own.id, title: "Mine" });
  await expect(
    publish(owner, { kind: "reference", id: personal.id }, [{ name: "fruit", values: ["pear"] }]),
  ).rejects.toMatchObject(appError("conflict", /depend on who looks at it/));
  const stranger = await make.owner();
  await updateSettings(deps, stranger, { publicLinks: true });
  await expect(publish(stranger, board, [{ name: "fruit", values: ["pear"] }])).rejects.toMatchObject(
    appError("not_found"),
  );
  expect(await deps.db.prisma.publicLink.count({ where: { dashboardId: board.id } })).toBe(0);
});
