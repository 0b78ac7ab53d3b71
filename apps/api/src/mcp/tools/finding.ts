import { describeTables, listDatabases } from "@querybell/core/databases";
import { getQueryWithInputs } from "@querybell/core/queries";
import { getReferenceWithInputs, listReferencesOfQuery } from "@querybell/core/references";
import { search } from "@querybell/core/search";
import { AppError, EngineKind, Id, ParameterType, RunStatus, type Scope, shorten } from "@querybell/domain";
import { z } from "zod";
import { maxContentCharacters, takeFitting, writeCount } from "../answers.ts";
import { defineTool, type ToolCall } from "../tool.ts";

const Kind = z.enum(["query", "reference", "automation"]);
const scopeOf: Record<z.infer<typeof Kind>, Scope> = {
  query: "queries:read",
  reference: "references:read",
  automation: "automations:read",
};

const hasScope = ({ caller: { via } }: ToolCall, scope: Scope): boolean =>
  via.kind === "key" && via.scopes.includes(scope);

const permalinkOf = ({ context }: ToolCall, shortId: string): string =>
  `${context.deps.deployment.publicUrl}/q/${shortId}`;

const searchTool = defineTool({
  name: "search",
  description:
    "Finds saved queries, references (permalinks to charts) and automations by the beginnings of words in their names, descriptions and SQL. Start here.",
  effect: "reads",
  access: "viewer",
  scopes: ["queries:read"],
  input: z.strictObject({
    text: z.string().min(1).max(200).describe("A few words; all must match"),
    kinds: z.array(Kind).max(3).optional(),
    limit: z.int().min(1).max(20).default(10),
  }),
  output: z.object({
    items: z.array(
      z.object({
        kind: Kind,
        id: z.string(),
        title: z.string(),
        detail: z.string(),
        shortId: z.string().optional(),
        url: z.string().optional(),
      }),
    ),
  }),
  run: (call, { text, kinds = Kind.options, limit }) =>
    call.inSlot(async () => {
      const allowed = [...new Set(kinds)].filter((kind) => hasScope(call, scopeOf[kind]));
      const hits = await search(call.context.deps, call.caller, { text, limit, kinds: allowed });
      const items = hits.items.map((hit) => ({
        kind: Kind.parse(hit.kind),
        id: hit.id,
        title: hit.title,
        detail: hit.detail,
        ...(hit.kind === "reference" && { shortId: hit.shortId, url: permalinkOf(call, hit.shortId) }),
      }));
      const more = items.length === limit ? " There may be more: use more words, or a higher limit." : "";
      return { headline: `${writeCount(items.length)} found.${more}`, content: { items } };
    }),
});

const maxSqlCharacters = 8_000;

const getQueryTool = defineTool({
  name: "get_query",
  description:
    "Shows a saved query: SQL, database, parameters with types and defaults, latest run, references.",
  effect: "reads",
  access: "viewer",
  scopes: ["queries:read"],
  input: z.strictObject({
    id: Id.optional().describe("Of the query"),
    shortId: z.string().max(200).optional().describe("Of a reference of the query, instead of id"),
  }),
  output: z.object({
    id: z.string(),
    name: z.string().nullable(),
    description: z.string().nullable(),
    database: z.object({ id: z.string(), name: z.string(), engine: EngineKind }).nullable(),
    sql: z.string(),
    truncated: z.boolean().describe("Whether the end of the SQL, parameters or references are missing here"),
    parameters: z.array(
      z.object({
        name: z.string(),
        type: ParameterType,
        description: z.string(),
        defaultValue: z.string().optional().describe("Absent: a value is required"),
      }),
    ),
    latestRun: z.object({ runId: z.string(), status: RunStatus, ranAt: z.string() }).nullable(),
    references: z.array(z.object({ shortId: z.string(), title: z.string(), url: z.string() })),
  }),
  run: (call, named) =>
    call.inSlot(async () => {
      const { deps } = call.context;
      const id = await findQueryId(call, named);
      const query = await getQueryWithInputs(deps, call.caller, { id });
      const databases = await listDatabases(deps, call.caller);
      const database = databases.find((one) => one.id === query.analyticalDatabaseConfigId);
      const references = hasScope(call, "references:read")
        ? await listReferencesOfQuery(deps, call.caller, { id })
        : [];
      const allParameters = query.inputs.definitions.map(
        ({ name, type, description, displayName, defaultValue }) => ({
          name,
          type,
          description: shorten(description || displayName, 200),
          ...(defaultValue !== undefined && { defaultValue: shorten(defaultValue, 200) }),
        }),
      );
      const allReferences = references.map(({ shortId, title }) => ({
        shortId,
        title,
        url: permalinkOf(call, shortId),
      }));
      const parameters = takeFitting(allParameters, 6_000);
      const listed = takeFitting(allReferences, 2_000);
      const shown = [
        `${writeCount(Math.min(query.sql.length, maxSqlCharacters))} of ${writeCount(query.sql.length)} characters of SQL`,
        `${writeCount(parameters.length)} of ${writeCount(allParameters.length)} parameters`,
        `${writeCount(listed.length)} of ${writeCount(allReferences.length)} references`,
      ];
      return {
        headline: `A query: ${shown.join(", ")}.`,
        content: {
          id,
          name: query.name,
          description: query.description && shorten(query.description, 500),
          database: database ? { id: database.id, name: database.name, engine: database.engine } : null,
          sql: shorten(query.sql, maxSqlCharacters),
          truncated:
            query.sql.length > maxSqlCharacters ||
            parameters.length < allParameters.length ||
            listed.length < allReferences.length,
          parameters,
          latestRun: query.latestRun && {
            runId: query.latestRun.id,
            status: query.latestRun.status,
            ranAt: query.latestRun.runAt,
          },
          references: listed,
        },
      };
    }),
});

async function findQueryId(
  call: ToolCall,
  { id, shortId }: { id?: string | undefined; shortId?: string | undefined },
): Promise<string> {
  if (id !== undefined) return id;
  if (shortId === undefined) throw new AppError("invalid_request", "Send the id of a query, or a shortId.");
  if (!hasScope(call, "references:read")) {
    throw new AppError(
      "forbidden",
      "This API key lacks the scope references:read. Send the id of the query.",
    );
  }
  const { currentQuery } = await getReferenceWithInputs(call.context.deps, call.caller, { shortId });
  if (currentQuery) return currentQuery.id;
  throw new AppError("not_found", "This reference has no query yet.");
}

const listDatabasesTool = defineTool({
  name: "list_databases",
  description: "Lists the analytical databases.",
  effect: "reads",
  access: "viewer",
  scopes: ["queries:read"],
  input: z.strictObject({}),
  output: z.object({
    databases: z.array(z.object({ id: z.string(), name: z.string(), engine: EngineKind })),
    truncated: z.boolean(),
  }),
  run: (call) =>
    call.inSlot(async () => {
      const all = (await listDatabases(call.context.deps, call.caller)).map(({ id, name, engine }) => ({
        id,
        name,
        engine,
      }));
      const databases = takeFitting(all, maxContentCharacters - 100);
      return {
        headline: `${writeCount(databases.length)} of ${writeCount(all.length)} databases.`,
        content: { databases, truncated: databases.length < all.length },
      };
    }),
});

const describeTablesTool = defineTool({
  name: "describe_tables",
  description: "Lists tables of a database with their columns, types and descriptions.",
  effect: "reads",
  access: "member",
  scopes: ["queries:read"],
  input: z.strictObject({
    databaseId: Id,
    schema: z.string().min(1).max(500).optional(),
    text: z.string().max(200).optional().describe("Only tables with this in their name"),
    cursor: z
      .string()
      .regex(/^\d{1,9}$/, "must be a nextCursor")
      .optional(),
  }),
  output: z.object({
    tables: z.array(
      z.object({
        schema: z.string(),
        name: z.string(),
        about: z.string().optional(),
        columns: z.array(z.string()).describe("Name, type and description"),
        moreColumns: z.int().optional(),
      }),
    ),
    tableCount: z.int(),
    truncated: z.boolean().describe("Whether tables, columns, descriptions or schemas are missing here"),
    nextCursor: z.string().optional(),
    schemas: z.array(z.string()),
  }),
  // The engine's slots limit it, as they do for the page that shows tables.
  async run({ context, caller, signal }, { databaseId, schema, text, cursor = "0" }) {
    const offset = Number(cursor);
    const wanted = { id: databaseId, schema, contains: text, offset, signal };
    const described = await describeTables(context.deps, caller, wanted);
    const { tables: readable, tableCount, mayHaveMore, isCut } = described;
    const tables = takeFitting(readable, maxContentCharacters - 2_500);
    const next = offset + tables.length;
    const hasNext = next < tableCount;
    const schemas = takeFitting(described.schemas, 2_000);
    if (hasNext && tables.length === 0) {
      throw new AppError(
        "invalid_request",
        `One table is longer than an answer may be. Send the cursor ${offset + 1} to skip it.`,
      );
    }
    return {
      headline: `${writeCount(tables.length)} of ${mayHaveMore ? "at least " : ""}${writeCount(tableCount)} tables, ${writeCount(schemas.length)} of ${writeCount(described.schemas.length)} schemas.`,
      content: {
        tables,
        tableCount,
        truncated: hasNext || mayHaveMore || isCut || schemas.length < described.schemas.length,
        ...(hasNext && { nextCursor: String(next) }),
        schemas,
      },
    };
  },
});

export const findingTools = [searchTool, getQueryTool, listDatabasesTool, describeTablesTool];
