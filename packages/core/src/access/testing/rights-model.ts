import { type Rights, withRights } from "@querybell/db";
import {
  type AccessGrant,
  type Caller,
  CreateAutomation,
  CreateDatabase,
  type Grantee,
  ListItems,
  type Role,
} from "@querybell/domain";
import { createAutomation } from "../../automations/index.ts";
import { createDatabase } from "../../databases/index.ts";
import type { Deps } from "../../deps.ts";
import { createFolder, listFolders, updateFolder } from "../../folders/index.ts";
import { changeGroupMembers, createGroup } from "../../groups/index.ts";
import { listItems, moveItems } from "../../library/index.ts";
import { changeRole } from "../../members/index.ts";
import { createQuery, getQuery } from "../../queries/index.ts";
import { createReference, getReference } from "../../references/index.ts";
import { search } from "../../search.ts";
import type { Factories } from "../../testing/factories.ts";
import { createRightsCache } from "../rights-cache.ts";
import { setDatabaseAccess, setFolderAccess } from "../set-access.ts";

interface ModelOptions {
  deps: Deps;
  make: Factories;
  /** A number from 0 up to, but not including, 1. */
  random: () => number;
  /** Moves the clock of all processes. */
  advance: (milliseconds: number) => Promise<void>;
}

interface Place {
  parent: string | null;
  grants: AccessGrant[] | null;
}

interface Item {
  kind: "query" | "reference" | "automation";
  id: string;
  shortId?: string;
  title: string;
  folder: string | null;
  createdBy: string;
  database?: string;
  /** The query of a reference, the reference of an automation. */
  of?: Item;
}

/**
 * An organization whose rights are changed at random, and what each person may see in it according to this model: a few
 * lines that say the same as the database's functions and views. Reads go to two processes. The one that made a change
 * knows it at once, the other within five seconds.
 */
export async function createRightsModel({ deps, make, random, advance }: ModelOptions) {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const otherProcess: Deps = { ...deps, rights: createRightsCache(deps) };
  const owner = await make.owner();
  const { organizationId } = owner;
  const people: Caller[] = [];
  for (const role of ["viewer", "member", "member", "admin"] as const) {
    people.push(await make.member(organizationId, role));
  }
  const roles = new Map<string, Role>(people.map(({ userId, role }) => [userId, role]));
  const groups = new Map<string, Set<string>>();
  for (const name of ["One", "Two", "Three"]) {
    groups.set((await createGroup(deps, owner, { name })).id, new Set());
  }
  const root: Place = { parent: null, grants: null };
  const folders = new Map<string, Place>();
  for (let count = 0; count < 6; count++) {
    const parent = count < 2 ? null : pick([null, ...folders.keys()]);
    const { id } = await createFolder(deps, owner, { name: `Folder ${count}`, parentId: parent });
    folders.set(id, { parent, grants: null });
  }
  const databases = new Map<string, AccessGrant[] | null>();
  for (const name of ["First", "Second"]) {
    const connection = { engine: "duckdb", settings: { file: "test.duckdb" } };
    databases.set((await createDatabase(deps, owner, CreateDatabase.parse({ name, connection }))).id, null);
  }
  const uploads = await deps.db.prisma.analyticalDatabaseConfig.findFirstOrThrow({
    where: { organizationId, holdsUploads: true },
  });
  databases.set(uploads.id, null);
  const items: Item[] = [];
  for (let count = 0; count < 6; count++) {
    const maker = pick([owner, ...people.filter(({ role }) => role !== "viewer")]);
    const database = pick([...databases.keys()]);
    const made = { folder: null, createdBy: maker.userId };
    const title = `Query number${count}`;
    const { id } = await createQuery(deps, maker, {
      sql: "SELECT 1",
      name: title,
      analyticalDatabaseConfigId: database,
    });
    const query: Item = { kind: "query", id, title, database, ...made };
    const chart = await createReference(deps, maker, { queryId: id, title: `Chart number${count}` });
    const reference: Item = {
      kind: "reference",
      id: chart.id,
      shortId: chart.shortId,
      title: chart.title,
      of: query,
      ...made,
    };
    const words = { name: `Automation number${count}`, instruction: "Look." };
    const references = [{ shortId: chart.shortId }];
    const automation = await createAutomation(deps, maker, CreateAutomation.parse({ ...words, references }));
    items.push(query, reference, {
      kind: "automation",
      id: automation.id,
      title: words.name,
      of: reference,
      ...made,
    });
  }

  const isFor = (grantee: Grantee, userId: string): boolean =>
    grantee.kind === "everybody" ||
    (grantee.kind === "person"
      ? grantee.userId === userId
      : (groups.get(grantee.groupId)?.has(userId) ?? false));
  const has = (grants: AccessGrant[] | null, userId: string): boolean =>
    grants === null || grants.some(({ grantee }) => isFor(grantee, userId));
  const seesFolder = (id: string | null, userId: string): boolean => {
    if (id === null) return has(root.grants, userId);
    const { parent, grants } = folders.get(id) ?? root;
    return grants === null ? seesFolder(parent, userId) : has(grants, userId);
  };
  const isAdmin = (userId: string) => roles.get(userId) === "admin";
  const sees = (item: Item, userId: string): boolean =>
    isAdmin(userId) ||
    ((seesFolder(item.folder, userId) || (item.folder === null && item.createdBy === userId)) &&
      (item.database === undefined || has(databases.get(item.database) ?? null, userId)) &&
      (item.of === undefined || sees(item.of, userId)));

  const randomGrants = <Level extends string>(levels: readonly Level[]) => {
    if (random() < 0.2) return null;
    const grantees: Grantee[] = [
      { kind: "everybody" },
      ...[...groups.keys()].map((groupId) => ({ kind: "group" as const, groupId })),
      ...people.map(({ userId }) => ({ kind: "person" as const, userId })),
    ];
    return grantees.filter(() => random() < 0.2).map((grantee) => ({ grantee, level: pick(levels) }));
  };

  const changes: (() => Promise<void>)[] = [
    async () => {
      const folderId = pick([null, ...folders.keys()]);
      const grants = randomGrants(["see", "edit"] as const);
      await setFolderAccess(deps, owner, { folderId, grants });
      (folders.get(folderId ?? "") ?? root).grants = grants;
    },
    async () => {
      const databaseId = pick([...databases.keys()]);
      const grants = randomGrants(["run", "write"] as const);
      await setDatabaseAccess(deps, owner, { databaseId, grants });
      databases.set(databaseId, grants);
    },
    async () => {
      const [groupId, { userId }] = [pick([...groups.keys()]), pick(people)];
      const members = groups.get(groupId) ?? new Set();
      const isIn = members.has(userId);
      await changeGroupMembers(deps, owner, {
        groupId,
        add: isIn ? [] : [userId],
        remove: isIn ? [userId] : [],
      });
      if (isIn) members.delete(userId);
      else members.add(userId);
    },
    async () => {
      const item = pick(items);
      const folder = pick([null, ...folders.keys()]);
      await moveItems(deps, owner, { items: [{ kind: item.kind, id: item.id }], folderId: folder });
      item.folder = folder;
    },
    async () => {
      const [id, parent] = [pick([...folders.keys()]), pick([null, ...folders.keys()])];
      // A folder cannot be moved into itself or below itself.
      const moved = await updateFolder(deps, owner, { id, parentId: parent }).catch(() => undefined);
      const place = folders.get(id);
      if (moved && place) place.parent = parent;
    },
    async () => {
      const person = pick(people);
      const role = pick(["viewer", "member", "admin"] as const);
      await changeRole(deps, owner, { userId: person.userId, role });
      roles.set(person.userId, role);
    },
  ];

  const callerOf = (person: Caller): Caller => ({ ...person, role: roles.get(person.userId) ?? "viewer" });

  const reads: ((process: Deps, person: Caller) => Promise<void>)[] = [
    async (process, person) => {
      const kind = pick(["query", "reference", "automation"] as const);
      const { items: listed } = await listItems(process, person, ListItems.parse({ kind, limit: 100 }));
      expectSame(
        `the list of ${kind}`,
        listed.map(({ id }) => id),
        items.filter((item) => item.kind === kind && sees(item, person.userId)).map(({ id }) => id),
      );
    },
    async (process, person) => {
      const { items: hits } = await search(process, person, { text: "number", limit: 50 });
      expectSame(
        "the search",
        hits.map(({ id }) => id),
        items.filter((item) => sees(item, person.userId)).map(({ id }) => id),
      );
    },
    async (process, person) => {
      const listed = await listFolders(process, person);
      const visible = [...folders.keys()].filter(
        (id) => isAdmin(person.userId) || seesFolder(id, person.userId),
      );
      expectSame(
        "the folders",
        listed.map(({ id }) => id),
        visible,
      );
    },
    async (process, person) => {
      const item = pick(items.filter(({ kind }) => kind !== "automation"));
      const found =
        item.kind === "query"
          ? getQuery(process, person, { id: item.id })
          : getReference(process, person, { shortId: item.shortId ?? "" });
      const isFound = await found.then(
        () => true,
        () => false,
      );
      expectSame(
        `the ${item.kind} ${item.id}`,
        isFound ? [item.id] : [],
        sees(item, person.userId) ? [item.id] : [],
      );
    },
  ];

  let isKnownElsewhere = true;
  return {
    /** One change or one read. Throws if a read shows what the model forbids, or hides what it allows. */
    async step(): Promise<void> {
      if (random() < 0.3) {
        await pick(changes)();
        isKnownElsewhere = false;
        return;
      }
      const person = callerOf(pick(people));
      let process = deps;
      if (random() < 0.3) {
        if (!isKnownElsewhere) await advance(5_000);
        isKnownElsewhere = true;
        process = otherProcess;
      }
      const rights: Rights | undefined = await process.rights.of(person);
      await withRights(rights, () => pick(reads)(process, person));
    },
  };
}

function expectSame(what: string, seen: readonly string[], allowed: readonly string[]): void {
  const forbidden = seen.filter((id) => !allowed.includes(id));
  const missing = allowed.filter((id) => !seen.includes(id));
  if (forbidden.length + missing.length === 0) return;
  throw new Error(
    `${what} shows ${forbidden.length} that are forbidden and lacks ${missing.length}: ${forbidden} ${missing}`,
  );
}
