import { gzipSync } from "node:zlib";
import { setDatabaseAccess, setFolderAccess } from "@querybell/core/access";
import { triggerAutomation } from "@querybell/core/automations";
import { createFolder } from "@querybell/core/folders";
import { changeGroupMembers, createGroup } from "@querybell/core/groups";
import { moveItems } from "@querybell/core/library";
import { createQuery } from "@querybell/core/queries";
import { createReference } from "@querybell/core/references";
import { runQuery } from "@querybell/core/runs";
import { changeRun, toCompleted, toRunning } from "@querybell/core/testing";
import {
  type Caller,
  DatabaseGrants,
  FolderGrants,
  type Grantee,
  isAtLeast,
  newId,
  Role,
} from "@querybell/domain";
import { expect } from "vitest";
import { apiTest } from "../testing/api-test.ts";
import { createWebFolder } from "../testing/web-folder.ts";

type FolderLevel = (typeof FolderGrants.element.shape.level.options)[number];
type DatabaseLevel = (typeof DatabaseGrants.element.shape.level.options)[number];

interface Cell {
  role: Role;
  through: Grantee["kind"];
  folder: FolderLevel | null;
  database: DatabaseLevel | null;
}

/** Every combination that the definitions of roles, grantees and levels allow; null: no right. */
const cells: Cell[] = Role.options.flatMap((role) =>
  // Admins have all rights, however they are given.
  (isAtLeast(role, "admin") ? (["group"] as const) : (["everybody", "group", "person"] as const)).flatMap(
    (through) =>
      [null, ...FolderGrants.element.shape.level.options].flatMap((folder) =>
        [null, ...DatabaseGrants.element.shape.level.options].map((database) => ({
          role,
          through,
          folder,
          database,
        })),
      ),
  ),
);

/** What a cell allows, as docs/access.md says it. */
function allowedIn({ role, folder, database }: Cell) {
  const isAdmin = isAtLeast(role, "admin");
  const isMember = isAtLeast(role, "member");
  const sees = isAdmin || (folder !== null && database !== null);
  return {
    seesFolder: isAdmin || folder !== null,
    usesDatabase: isAdmin || database !== null,
    sees,
    edits: sees && isMember && (isAdmin || folder === "edit"),
    writesSql: isMember && (isAdmin || database === "write"),
  };
}

const marker = "zebrafish";

const test = apiTest
  .extend("serverSettings", { scope: "file" }, async ({ postgres: _ }, { onCleanup }) => ({
    RATE_LIMIT_PER_MINUTE: 1_000_000,
    WEB_FOLDER: await createWebFolder(onCleanup),
  }))
  .extend("shop", { scope: "file" }, async ({ deps, make, api, makeKey }) => {
    const owner = await make.owner();
    const { organizationId } = owner;
    const { id: databaseId } = await make.database(owner);
    const query = await createQuery(deps, owner, {
      sql: `SELECT 1 AS ${marker}`,
      name: `Query ${marker}`,
      analyticalDatabaseConfigId: databaseId,
    });
    const { shortId, id: referenceId } = await createReference(deps, owner, {
      queryId: query.id,
      title: `Chart ${marker}`,
    });
    const people = new Map<Role, { person: Caller; session: Record<string, string>; key: string }>();
    for (const role of Role.options) {
      const person = await make.member(organizationId, role);
      const session = { cookie: await api.sessionCookie(person.email), origin: api.origin };
      people.set(role, { person, session, key: (await makeKey(person)).key });
    }
    const subscribers = [...people.values()].map(({ person }) => ({
      userId: person.userId,
      inApp: true,
      byMail: false,
      onFailure: true,
      onSummary: true,
    }));
    const automation = await make.automation(owner, {
      name: `Automation ${marker}`,
      references: [{ shortId }],
      subscribers,
    });
    const automationRun = await triggerAutomation(deps, owner, { id: automation.id });
    for (const { userId } of subscribers) {
      await deps.db.prisma.notification.create({
        data: {
          id: newId(deps.clock),
          userId,
          organizationId,
          kind: "automation_summary",
          detail: {
            automationId: automation.id,
            automationName: automation.name,
            runId: automationRun.id,
            shortId: automationRun.shortId,
            summary: marker,
          },
          createdAt: deps.clock.now(),
        },
      });
    }
    for (const { userId } of subscribers) {
      const opened = { organizationId, userId, openedAt: deps.clock.now() };
      await deps.db.prisma.recentItem.create({ data: { ...opened, kind: "query", itemId: query.id } });
    }
    const { id: folderId } = await createFolder(deps, owner, { name: `Folder ${marker}`, parentId: null });
    await moveItems(deps, owner, {
      items: [
        { kind: "query", id: query.id },
        { kind: "reference", id: referenceId },
        { kind: "automation", id: automation.id },
      ],
      folderId,
    });
    const run = await runQuery(deps, owner, { id: query.id, parameterValues: {} });
    await changeRun(deps, run.id, toRunning);
    await changeRun(deps, run.id, toCompleted);
    const json = JSON.stringify({ fields: [{ name: marker, type: "integer" }], rows: [[1]], rowCount: 1 });
    await deps.db.pool.query(
      `INSERT INTO query_results SELECT $1, $2, $3, parameter_values_hash, $4, $5, 1, NULL, 'etag', now(),
         now() + interval '1 day' FROM query_runs WHERE id = $1`,
      [run.id, organizationId, query.id, gzipSync(json), json.length],
    );
    const group = await createGroup(deps, owner, { name: "The group" });
    const ids = {
      queryId: query.id,
      shortId,
      referenceId,
      automationId: automation.id,
      folderId,
      databaseId,
    };
    return {
      owner,
      people,
      group,
      ...ids,
      runId: run.id,
      chatRunId: automationRun.id,
      chat: automationRun.shortId,
    };
  });

test("every combination of role, right and face shows what the rights allow, and nothing else", async ({
  api,
  deps,
  shop,
}) => {
  const { owner, people, group, queryId, shortId, automationId, folderId, databaseId, runId } = shop;
  const wrong: string[] = [];
  let calls = 0;

  for (const cell of cells) {
    const { person, session, key } = people.get(cell.role) ?? expect.unreachable("a role without a person");
    const grantee: Grantee =
      cell.through === "everybody"
        ? { kind: "everybody" }
        : cell.through === "group"
          ? { kind: "group", groupId: group.id }
          : { kind: "person", userId: person.userId };
    const everyone = [...people.values()].map(({ person: { userId } }) => userId);
    await changeGroupMembers(deps, owner, {
      groupId: group.id,
      add: [person.userId],
      remove: everyone.filter((userId) => userId !== person.userId),
    });
    await setFolderAccess(deps, owner, {
      folderId,
      grants: cell.folder === null ? [] : [{ grantee, level: cell.folder }],
    });
    await setDatabaseAccess(deps, owner, {
      databaseId,
      grants: cell.database === null ? [] : [{ grantee, level: cell.database }],
    });
    const allowed = allowedIn(cell);
    const name = JSON.stringify(cell);

    const trpc = async (path: string, input: unknown, headers: Record<string, string> = session) => {
      calls++;
      const answer = await api.fetch(`/api/trpc/${path}?input=${encodeURIComponent(JSON.stringify(input))}`, {
        headers,
      });
      return { status: answer.status, text: await answer.text() };
    };
    const mutate = async (path: string, input: unknown) => {
      calls++;
      const answer = await api.fetch(`/api/trpc/${path}`, {
        method: "POST",
        headers: { ...session, "content-type": "application/json" },
        body: JSON.stringify(input),
      });
      return { status: answer.status, text: await answer.text() };
    };
    const get = async (path: string) => {
      calls++;
      const answer = await api.fetch(path, { headers: { authorization: `Bearer ${key}` } });
      return { status: answer.status, text: await answer.text() };
    };
    const expectShown = (
      face: string,
      { status, text }: { status: number; text: string },
      isShown: boolean,
    ) => {
      if (status >= 500 || text.includes(marker) !== isShown)
        wrong.push(`${face} ${name}: ${status} ${text}`);
    };
    const expectStatus = (
      face: string,
      { status, text }: { status: number; text: string },
      wanted: number,
    ) => {
      if (status !== wanted) wrong.push(`${face} ${name}: ${status}, not ${wanted}: ${text}`);
    };

    const page = { limit: 10 };
    // Lists, search and the start page. Each has something to show from this folder only.
    const lists = [
      ["queries.list", page],
      ["references.list", page],
      ["automations.list", page],
      ["automationRuns.list", page],
      ["library.list", { kind: "query", ...page }],
      ["library.list", { kind: "reference", ...page }],
      ["library.list", { kind: "automation", ...page }],
      ["search.find", { text: marker }],
      ["home.overview", undefined],
      ["notifications.list", page],
    ] as const;
    await Promise.all(
      lists.map(async ([path, input]) =>
        expectShown(`${path} ${JSON.stringify(input)}`, await trpc(path, input), allowed.sees),
      ),
    );
    expectShown("folders.list", await trpc("folders.list", undefined), allowed.seesFolder);
    // Single things: those that are not seen do not exist.
    const found = allowed.sees ? 200 : 404;
    const things = [
      ["queries.get", { id: queryId }],
      ["queries.findResult", { id: queryId }],
      ["queries.versions", { id: queryId }],
      ["references.get", { shortId }],
      ["runs.get", { id: runId }],
      ["runs.result", { id: runId }],
      ["automations.get", { id: automationId }],
      ["automationRuns.findChat", { shortId: shop.chat }],
      ["automationRuns.steps", { runId: shop.chatRunId, ...page }],
    ] as const;
    await Promise.all(
      things.map(async ([path, input]) => expectStatus(path, await trpc(path, input), found)),
    );
    // Published REST routes, by the person's key.
    expectShown("GET /api/queries", await get("/api/queries"), allowed.sees);
    expectShown("GET /api/queries/refs", await get("/api/queries/refs"), allowed.sees);
    const addresses = [
      `/api/queries/${queryId}`,
      `/api/queries/refs/${shortId}`,
      `/api/queries/${queryId}/result`,
      // Downloads.
      `/api/runs/${runId}/result.csv`,
      `/api/runs/${runId}/result.json`,
    ];
    await Promise.all(addresses.map(async (path) => expectStatus(path, await get(path), found)));
    // Pages, with the data that they begin with.
    const open = async (path: string) => {
      calls++;
      const answer = await api.fetch(path, { headers: { ...session, accept: "text/html" } });
      return { status: answer.status, text: await answer.text() };
    };
    const pages = [
      `/queries/${queryId}`,
      `/q/${shortId}`,
      `/automations/${automationId}`,
      `/chats/${shop.chat}`,
    ];
    await Promise.all(
      pages.map(async (path) => {
        const answer = await open(path);
        expectShown(path, answer, allowed.sees);
        expectStatus(path, answer, found);
      }),
    );
    // The start page loads what it lists; the data that it begins with must not have it either.
    if (!allowed.sees) expectShown("/", await open("/"), false);
    // A subscription.
    const watched = await trpc("runs.watch", { id: runId }, { ...session, accept: "text/event-stream" });
    if (watched.text.includes(`"status":"completed"`) !== allowed.sees) {
      wrong.push(`runs.watch ${name}: ${watched.text}`);
    }
    // Writing: 404 for what is not seen, 403 for what is seen but not changed.
    const isMember = isAtLeast(cell.role, "member");
    const change = !isMember ? 403 : !allowed.sees ? 404 : allowed.edits ? 200 : 403;
    expectStatus(
      "queries.update",
      await mutate("queries.update", { id: queryId, description: `${calls}` }),
      change,
    );
    expectStatus(
      "references.update",
      await mutate("references.update", { shortId, description: `${calls}` }),
      change,
    );
    expectStatus(
      "automations.update",
      await mutate("automations.update", { id: automationId, name: `Automation ${marker} ${calls}` }),
      change,
    );
    expectStatus(
      "queries.update of SQL",
      await mutate("queries.update", { id: queryId, sql: `SELECT ${calls} AS ${marker}` }),
      change === 200 && !allowed.writesSql ? 403 : change,
    );
    const create = !isMember ? 403 : !allowed.usesDatabase ? 404 : allowed.writesSql ? 200 : 403;
    expectStatus(
      "queries.create",
      await mutate("queries.create", { sql: "SELECT 1", analyticalDatabaseConfigId: databaseId }),
      create,
    );
    await deps.db.prisma.query.deleteMany({ where: { sql: "SELECT 1" } });
  }
  expect(wrong).toEqual([]);
  expect(calls).toBeGreaterThan(2_000);
});
