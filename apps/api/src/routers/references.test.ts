import { type ErrorCode, shortIdAlphabet } from "@querybell/domain";
import { describe, expect } from "vitest";
import { apiError } from "../testing/api-error.ts";
import { apiTest } from "../testing/api-test.ts";

const parameters = [
  { name: "since", displayName: "Since", type: "date" as const, defaultValue: "today-7d", description: "" },
];
const visualization = {
  type: "line" as const,
  jsxConfig: "<LineChart><Line dataKey='n' /></LineChart>",
  marginConfig: { top: 1, right: 2, bottom: 3, left: 4 },
};

describe("a reference", () => {
  apiTest(
    "starts with a short id, the placeholder title and nothing else",
    async ({ api, make, makeKey, clock }) => {
      const owner = await make.owner();
      const { id, sql } = await make.query(owner, "SELECT 1");
      const { key } = await makeKey(owner, { scopes: ["references:read", "references:write"] });
      const client = api.withKey(key);
      const made = await client.references.create.mutate({ queryId: id });
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
      const got = await client.references.get.query({ shortId: made.shortId });
      expect(got).toEqual({ ...made, parameters: [] });
      expect(got).not.toHaveProperty("visualization");
      expect(await client.references.list.query()).toEqual({ items: [made] });
    },
  );

  apiTest("shows its visualization and parameters on get only", async ({ api, make }) => {
    const owner = await make.owner();
    const client = await api.signedIn(owner);
    const { id: queryId } = await make.query(owner, "SELECT {{since}}");
    const made = await client.references.create.mutate({ queryId, visualization, parameters });
    const { shortId } = made;
    const updated = await client.references.update.mutate({ shortId, title: "  Sales  " });
    const { items } = await client.references.list.query();
    for (const shown of [made, updated, ...items]) {
      expect(shown).not.toHaveProperty("visualization");
      expect(shown).not.toHaveProperty("parameters");
    }
    expect(await client.references.get.query({ shortId })).toEqual({
      ...made,
      title: "Sales",
      visualization,
      parameters,
    });
    await client.references.update.mutate({ shortId, visualization: null });
    expect(await client.references.get.query({ shortId })).not.toHaveProperty("visualization");
  });

  apiTest("changes its title and description, and what is absent stays", async ({ api, make, clock }) => {
    const owner = await make.owner();
    const client = await api.signedIn(owner);
    const { id: queryId } = await make.query(owner, "SELECT 1");
    const { shortId } = await client.references.create.mutate({ queryId, description: "Old" });
    await clock.advance(5);
    const titled = await client.references.update.mutate({ shortId, title: "New" });
    expect(titled).toMatchObject({ title: "New", description: "Old", updatedAt: clock.now().toISOString() });
    const cleared = await client.references.update.mutate({ shortId, description: null });
    expect(cleared).toMatchObject({ title: "New", description: null });
    const refusedChanges: object[] = [
      { title: " " },
      { title: "NUL \0" },
      { description: "half \ud83d" },
      { parameters: [{ ...parameters[0], displayName: "\0" }] },
      { shortId: "\0" },
      { title: "x".repeat(201) },
      { description: "x".repeat(2001) },
      { queryId },
      { parameters: [...parameters, ...parameters] },
    ];
    for (const change of refusedChanges) {
      await expect(client.references.update.mutate({ shortId, ...change })).rejects.toEqual(
        apiError("invalid_request"),
      );
    }
  });

  apiTest(
    "that is deleted answers with its record and is gone for good",
    async ({ api, make, clock, deps }) => {
      const owner = await make.owner();
      const client = await api.signedIn(owner);
      const { id: queryId } = await make.query(owner, "SELECT 1");
      const { id, shortId, createdAt, updatedAt } = await client.references.create.mutate({ queryId });
      await clock.advance(10);
      const deletedAt = clock.now().toISOString();
      expect(await client.references.delete.mutate({ shortId })).toEqual({
        ...{ id, shortId, title: "Untitled query", description: null, queryId },
        ...{ createdAt, updatedAt, deletedAt },
      });
      const calls = [
        () => client.references.get.query({ shortId }),
        () => client.references.update.mutate({ shortId, title: "Back" }),
        () => client.references.delete.mutate({ shortId }),
      ];
      for (const call of calls) await expect(call()).rejects.toEqual(apiError("not_found"));
      expect(await client.references.list.query()).toEqual({ items: [] });
      expect(await client.queries.get.query({ id: queryId })).toMatchObject({ id: queryId });
      const other = await client.references.create.mutate({ queryId });
      await expect(
        deps.db.pool.query("UPDATE query_references SET short_id = $1 WHERE id = $2", [shortId, other.id]),
      ).rejects.toThrow(/short_id_key/);
    },
  );

  apiTest("can wait for its query, which is then attached once", async ({ api, make }) => {
    const owner = await make.owner();
    const client = await api.signedIn(owner);
    const waiting = await client.references.createOptimistic.mutate({ title: "Soon", parameters });
    expect(waiting).toMatchObject({ isOptimistic: true, currentQuery: null });
    const { shortId } = waiting;
    const { id: unfit } = await make.query(owner, "SELECT {{other}}");
    await expect(client.references.attach.mutate({ shortId, queryId: unfit })).rejects.toEqual(
      apiError("unknown_placeholder", /other/),
    );
    const { id: queryId } = await make.query(owner, "SELECT {{since}}");
    const attached = await client.references.attach.mutate({ shortId, queryId });
    expect(attached).toMatchObject({ isOptimistic: false, currentQuery: { id: queryId } });
    await expect(client.references.attach.mutate({ shortId, queryId })).rejects.toEqual(apiError("conflict"));
  });

  apiTest("of another organization does not exist", async ({ api, make }) => {
    const owner = await make.owner();
    const { id: queryId } = await make.query(owner, "SELECT 1");
    const { shortId } = await (await api.signedIn(owner)).references.create.mutate({ queryId });
    const stranger = await api.signedIn(await make.owner());
    const calls = [
      () => stranger.references.get.query({ shortId }),
      () => stranger.references.update.mutate({ shortId, title: "Mine" }),
      () => stranger.references.delete.mutate({ shortId }),
      () => stranger.references.create.mutate({ queryId }),
    ];
    for (const call of calls) await expect(call()).rejects.toEqual(apiError("not_found"));
  });

  apiTest(
    "that was deleted in another organization of the caller is not offered there",
    async ({ api, make, deps }) => {
      const [here, there] = [await make.owner(), await make.owner()];
      const { organizationId } = there;
      const { userId } = here;
      const createdAt = deps.clock.now();
      await deps.db.prisma.member.create({ data: { organizationId, userId, role: "member", createdAt } });
      const { shortId } = await make.reference(there, "SELECT 1");
      const client = await api.signedIn(here);
      const get = () => client.references.get.query({ shortId });
      await expect(get()).rejects.toEqual(apiError("not_found", /^This is in your organization/));
      await (await api.signedIn(there)).references.delete.mutate({ shortId });
      await expect(get()).rejects.toEqual(apiError("not_found", /^There is no/));
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
  apiTest.for(unfit)("is refused with %s", async ([, content, code, words], { api, make }) => {
    const owner = await make.owner();
    const client = await api.signedIn(owner);
    const { id: queryId } = await make.query(owner, "SELECT {{since}}");
    await expect(client.references.create.mutate({ queryId, ...content })).rejects.toEqual(
      apiError(code, words),
    );
    const { shortId } = await client.references.create.mutate({ queryId });
    await expect(client.references.update.mutate({ shortId, ...content })).rejects.toEqual(
      apiError(code, words),
    );
  });
});
