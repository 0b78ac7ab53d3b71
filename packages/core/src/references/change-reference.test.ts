import {
  CreateReference,
  type ErrorCode,
  ListReferences,
  shortIdAlphabet,
  UpdateReference,
} from "@querybell/domain";
import { describe, expect } from "vitest";
import { getQuery } from "../queries/index.ts";
import { appError } from "../testing/app-error.ts";
import { dbTest } from "../testing/db-test.ts";
import {
  attachReference,
  createOptimisticReference,
  createReference,
  deleteReference,
  getReference,
  listReferences,
  updateReference,
} from "./index.ts";

const parameters = [
  { name: "since", displayName: "Since", type: "date" as const, defaultValue: "today-7d", description: "" },
];
const visualization = {
  type: "line" as const,
  jsxConfig: "<LineChart><Line dataKey='n' /></LineChart>",
  marginConfig: { top: 1, right: 2, bottom: 3, left: 4 },
};
const firstPage = ListReferences.parse({});

describe("a reference", () => {
  dbTest("starts with a short id, the placeholder title and nothing else", async ({ deps, make, clock }) => {
    const owner = await make.owner();
    const { id, sql } = await make.query(owner, "SELECT 1");
    const made = await createReference(deps, owner, { queryId: id });
    const now = clock.now().toISOString();
    expect(made).toEqual({
      id: made.id,
      shortId: expect.stringMatching(new RegExp(`^[${shortIdAlphabet}]{10}$`)),
      title: "Untitled query",
      description: null,
      isOptimistic: false,
      createdBy: owner.userId,
      createdAt: now,
      updatedAt: now,
      currentQuery: { id, sql },
    });
    const got = await getReference(deps, owner, { shortId: made.shortId });
    expect(got).toEqual({ ...made, parameters: [] });
    expect(got).not.toHaveProperty("visualization");
    expect(await listReferences(deps, owner, firstPage)).toEqual({ items: [made] });
  });

  dbTest("is changed once for each state that a change is based on", async ({ deps, make }) => {
    const owner = await make.owner();
    const { id: queryId } = await make.query(owner, "SELECT 1");
    const { shortId, updatedAt: basedOn } = await createReference(deps, owner, { queryId });
    const save = (title: string, base?: string) =>
      updateReference(deps, owner, { shortId, title, ...(base && { basedOn: base }) });
    const saved = await Promise.allSettled([save("One", basedOn), save("Two", basedOn)]);
    expect(saved.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    await expect(save("Three", basedOn)).rejects.toEqual(appError("reference_changed"));
    // The clock stands still here, and each state has its own time nevertheless.
    const { title, updatedAt } = await getReference(deps, owner, { shortId });
    expect(["One", "Two"]).toContain(title);
    expect(await save("Three", updatedAt)).toMatchObject({ title: "Three" });
    // Without a base, the last one wins as before.
    expect(await save("Four")).toMatchObject({ title: "Four" });
  });

  dbTest("shows its visualization and parameters on get only", async ({ deps, make }) => {
    const owner = await make.owner();
    const { id: queryId } = await make.query(owner, "SELECT {{since}}");
    const made = await createReference(deps, owner, { queryId, visualization, parameters });
    const { shortId } = made;
    const updated = await updateReference(
      deps,
      owner,
      UpdateReference.parse({ shortId, title: "  Sales  " }),
    );
    const { items } = await listReferences(deps, owner, firstPage);
    for (const shown of [made, updated, ...items]) {
      expect(shown).not.toHaveProperty("visualization");
      expect(shown).not.toHaveProperty("parameters");
    }
    expect(await getReference(deps, owner, { shortId })).toEqual({
      ...updated,
      title: "Sales",
      visualization,
      parameters,
    });
    await updateReference(deps, owner, { shortId, visualization: null });
    expect(await getReference(deps, owner, { shortId })).not.toHaveProperty("visualization");
  });

  dbTest("changes its title and description, and what is absent stays", async ({ deps, make, clock }) => {
    const owner = await make.owner();
    const { id: queryId } = await make.query(owner, "SELECT 1");
    const { shortId } = await createReference(deps, owner, { queryId, description: "Old" });
    await clock.advance(5);
    const titled = await updateReference(deps, owner, { shortId, title: "New" });
    expect(titled).toMatchObject({ title: "New", description: "Old", updatedAt: clock.now().toISOString() });
    const cleared = await updateReference(deps, owner, { shortId, description: null });
    expect(cleared).toMatchObject({ title: "New", description: null });
  });

  dbTest("that is deleted answers with its record and is gone for good", async ({ deps, make, clock }) => {
    const owner = await make.owner();
    const { id: queryId } = await make.query(owner, "SELECT 1");
    const { id, shortId, createdAt, updatedAt } = await createReference(deps, owner, { queryId });
    await clock.advance(10);
    const deletedAt = clock.now().toISOString();
    expect(await deleteReference(deps, owner, { shortId })).toEqual({
      ...{ id, shortId, title: "Untitled query", description: null, queryId },
      ...{ createdAt, updatedAt, deletedAt },
    });
    const calls = [
      () => getReference(deps, owner, { shortId }),
      () => updateReference(deps, owner, { shortId, title: "Back" }),
      () => deleteReference(deps, owner, { shortId }),
    ];
    for (const call of calls) await expect(call()).rejects.toEqual(appError("not_found"));
    expect(await listReferences(deps, owner, firstPage)).toEqual({ items: [] });
    expect(await getQuery(deps, owner, { id: queryId })).toMatchObject({ id: queryId });
    const other = await createReference(deps, owner, { queryId });
    await expect(
      deps.db.pool.query("UPDATE query_references SET short_id = $1 WHERE id = $2", [shortId, other.id]),
    ).rejects.toThrow(/short_id_key/);
  });

  dbTest("can wait for its query, which is then attached once", async ({ deps, make }) => {
    const owner = await make.owner();
    const waiting = await createOptimisticReference(deps, owner, { title: "Soon", parameters });
    expect(waiting).toMatchObject({ isOptimistic: true, currentQuery: null });
    const { shortId } = waiting;
    const { id: unfit } = await make.query(owner, "SELECT {{other}}");
    await expect(attachReference(deps, owner, { shortId, queryId: unfit })).rejects.toEqual(
      appError("unknown_placeholder", /other/),
    );
    const { id: queryId } = await make.query(owner, "SELECT {{since}}");
    const attached = await attachReference(deps, owner, { shortId, queryId });
    expect(attached).toMatchObject({ isOptimistic: false, currentQuery: { id: queryId } });
    await expect(attachReference(deps, owner, { shortId, queryId })).rejects.toEqual(appError("conflict"));
  });

  dbTest("of another organization does not exist", async ({ deps, make }) => {
    const owner = await make.owner();
    const { id: queryId } = await make.query(owner, "SELECT 1");
    const { shortId } = await createReference(deps, owner, { queryId });
    const stranger = await make.owner();
    const calls = [
      () => getReference(deps, stranger, { shortId }),
      () => updateReference(deps, stranger, { shortId, title: "Mine" }),
      () => deleteReference(deps, stranger, { shortId }),
      () => createReference(deps, stranger, { queryId }),
    ];
    for (const call of calls) await expect(call()).rejects.toEqual(appError("not_found"));
  });

  dbTest(
    "that was deleted in another organization of the caller is not offered there",
    async ({ deps, make }) => {
      const [here, there] = [await make.owner(), await make.owner()];
      const { organizationId } = there;
      const { userId } = here;
      const createdAt = deps.clock.now();
      await deps.db.prisma.member.create({ data: { organizationId, userId, role: "member", createdAt } });
      const { shortId } = await make.reference(there, "SELECT 1");
      const get = () => getReference(deps, here, { shortId });
      await expect(get()).rejects.toEqual(appError("not_found", /^This is in your organization/));
      await deleteReference(deps, there, { shortId });
      await expect(get()).rejects.toEqual(appError("not_found", /^There is no/));
    },
  );

  const unfit: [what: string, content: object, code: ErrorCode, words: RegExp][] = [
    [
      "a visualization that is code",
      { visualization: { ...visualization, jsxConfig: "<LineChart>\n  <script /></LineChart>" } },
      "invalid_visualization",
      /line 2, column 4/,
    ],
    [
      "a placeholder without a definition",
      { parameters: [{ ...parameters[0], name: "till" }] },
      "unknown_placeholder",
      /since/,
    ],
    [
      "a default that its type does not allow",
      { parameters: [{ ...parameters[0], defaultValue: "someday" }] },
      "invalid_parameter_value",
      /since/,
    ],
  ];
  dbTest.for(unfit)("is refused with %s", async ([, content, code, words], { deps, make }) => {
    const owner = await make.owner();
    const { id: queryId } = await make.query(owner, "SELECT {{since}}");
    const wanted = CreateReference.parse({ queryId, ...content });
    await expect(createReference(deps, owner, wanted)).rejects.toEqual(appError(code, words));
    const { shortId } = await createReference(deps, owner, { queryId });
    const change = UpdateReference.parse({ shortId, ...content });
    await expect(updateReference(deps, owner, change)).rejects.toEqual(appError(code, words));
  });
});
