import { createDashboard } from "@querybell/core/dashboards";
import { createEmbeddingKey, makeEmbedPage } from "@querybell/core/embedding";
import { createServiceAccount } from "@querybell/core/members";
import { updateSettings } from "@querybell/core/organizations";
import { createQuery } from "@querybell/core/queries";
import { createReference } from "@querybell/core/references";
import { execute, queuedJobs } from "@querybell/core/testing";
import { type Caller, DashboardContent } from "@querybell/domain";
import { createSigner, signToken } from "@querybell/public-pages/testing";
import { publicTest } from "./public-test.ts";

const marginConfig = { top: 16, right: 24, bottom: 24, left: 16 };
const text = { type: "string", description: "" } as const;

/** A test with an organization that embeds: a chart and a dashboard with a locked and an open filter. */
export const embedTest = publicTest
  .extend("portal", { scope: "file" }, async ({ deps, make, clock }) => {
    // From now on the time of the database stands still, too: how long a page counts does not depend on a slow machine.
    await clock.advance(0);
    const owner = await make.owner();
    await updateSettings(deps, owner, { embedding: true });
    const { id: analyticalDatabaseConfigId } = await make.database(owner);
    const chart = async (title: string, sql: string) => {
      const query = await createQuery(deps, owner, { sql, analyticalDatabaseConfigId });
      const visualization = { type: "table", jsxConfig: "", marginConfig } as const;
      const parameters = [
        { ...text, name: "fruit", displayName: "Fruit" },
        { ...text, name: "floor", displayName: "At least", type: "integer", defaultValue: "0" } as const,
      ].filter(({ name }) => sql.includes(`{{${name}}}`));
      return createReference(deps, owner, { queryId: query.id, title, visualization, parameters });
    };
    const weights = await chart(
      "Weights",
      "SELECT weight * 1000 AS grams FROM fruits WHERE name = {{fruit}} AND weight >= {{floor}}",
    );
    const all = await chart("Everything", "SELECT name FROM fruits");
    const tile = { kind: "chart", shows: "chart", x: 0, w: 12, h: 6 } as const;
    const { id: dashboardId } = await createDashboard(deps, owner, {
      ...{ title: "Portal", description: null, folderId: null },
      content: DashboardContent.parse({
        tabs: [
          {
            ...{ id: "tab", title: "Overview" },
            tiles: [
              { ...tile, id: "weights", referenceId: weights.id, y: 0 },
              { ...tile, id: "all", referenceId: all.id, y: 6 },
            ],
          },
        ],
        filters: { definitions: [{ ...text, name: "fruit", displayName: "Fruit" }] },
      }),
    });
    return { owner, shortId: weights.shortId, dashboardId };
  })
  /** Adds an embedding key, and returns what signs for it. */
  .extend("addKey", { scope: "file" }, ({ deps, clock }) => async (owner: Caller) => {
    const { publicKey, privateKey } = createSigner();
    const account = await createServiceAccount(deps, owner, { name: "Portal", role: "viewer" });
    const key = await createEmbeddingKey(deps, owner, {
      ...{ name: "Portal", publicKey, serviceAccountId: account.userId, cacheMinutes: 10 },
      origins: ["https://app.example.com", "http://localhost:3000"],
    });
    const claims = (changes: object = {}) => {
      const iat = Math.floor(clock.now().getTime() / 1000);
      return { aud: "querybell-embed", iat, exp: iat + 600, locked: {}, open: [], ...changes };
    };
    return {
      id: key.id,
      publicKey,
      privateKey,
      claims,
      sign: (changes: object, header: object = {}) =>
        signToken(privateKey, { kid: key.id, ...header }, claims(changes)),
    };
  })
  .extend("exchange", { scope: "file" }, ({ pages }) => async (token: string) => {
    const headers = { authorization: `Bearer ${token}` };
    const response = await fetch(`${pages.url}/e`, { method: "POST", headers });
    const body: { url?: string; error?: { code: string; message: string } } = JSON.parse(
      await response.text(),
    );
    return { status: response.status, body, path: body.url && new URL(body.url).pathname };
  })
  /** Does what workers do, until nothing is left. */
  .extend("work", { scope: "file" }, ({ deps }) => async () => {
    for (;;) {
      const [job] = await queuedJobs(deps, "make_embed_page");
      const run = await deps.db.prisma.queryRun.findFirst({ where: { status: "pending", leaderId: null } });
      if (run) await execute(deps, run.id);
      if (job) {
        await deps.db.pool.query("SELECT graphile_worker.remove_job('make_embed_page ' || $1::text)", [
          job.pageId,
        ]);
        await makeEmbedPage(deps, job);
      }
      if (!run && !job) return;
    }
  })
  /** Opens an address while a worker works, and again as long as the page says so, like a browser. */
  .extend("open", { scope: "file" }, ({ pages, work }) => async (path: string) => {
    for (;;) {
      let isDone = false;
      const answered = fetch(`${pages.url}${path}`).finally(() => {
        isDone = true;
      });
      while (!isDone) {
        await work();
        await new Promise((done) => setImmediate(done));
      }
      const response = await answered;
      const { status, headers } = response;
      if (headers.get("refresh") !== "1") return { status, headers, text: await response.text() };
      await response.arrayBuffer();
    }
  });
