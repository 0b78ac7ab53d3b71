import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import { toPlain } from "@querybell/core/plain-text";
import { listQueries } from "@querybell/core/queries";
import { listReferences } from "@querybell/core/references";
import { type Caller, shorten } from "@querybell/domain";
import type { Context } from "../trpc/context.ts";
import type { Tool } from "./tool.ts";

type Allowed = ReadonlyMap<string, Tool>;

interface Template {
  uriTemplate: string;
  name: string;
  title: string;
  description: string;
  /** What a URI of the template names. */
  uri: RegExp;
  /** A resource is the answer of a tool for one id, with the same rights and limits. */
  tool: string;
  toInput(id: string): Record<string, string>;
}

const mimeType = "text/plain";

const templates: readonly Template[] = [
  {
    uriTemplate: "querybell://queries/{id}",
    name: "query",
    title: "A saved query",
    description: "SQL, database, parameters, latest run and references, as get_query answers them",
    uri: /^querybell:\/\/queries\/([0-9a-f-]{36})$/,
    tool: "get_query",
    toInput: (id) => ({ id }),
  },
  {
    uriTemplate: "querybell://runs/{runId}/summary",
    name: "run_summary",
    title: "Figures of a run's result",
    description: "Counts, sums and extremes of all rows, as summarize_result answers them",
    uri: /^querybell:\/\/runs\/([0-9a-f-]{36})\/summary$/,
    tool: "summarize_result",
    toInput: (runId) => ({ runId }),
  },
  {
    uriTemplate: "querybell://permalinks/{shortId}",
    name: "permalink",
    title: "The query of a permalink",
    description: "As get_query answers it for the short id",
    uri: /^querybell:\/\/permalinks\/([0-9a-z]{1,40})$/,
    tool: "get_query",
    toInput: (shortId) => ({ shortId }),
  },
];

/** How many resources are listed: the newest. search finds all. */
const maxListed = 50;

export const listTemplates = (allowed: Allowed) =>
  templates
    .filter(({ tool }) => allowed.has(tool))
    .map(({ uriTemplate, name, title, description }) => ({
      uriTemplate,
      name,
      title,
      description,
      mimeType,
    }));

/** The newest queries and permalinks. */
export async function listResources({ deps }: Context, caller: Caller, allowed: Allowed) {
  if (!allowed.has("get_query")) return [];
  const page = { limit: maxListed };
  const queries = (await listQueries(deps, caller, page)).items.map(
    ({ id, name, sql, description, createdAt }) => ({
      uri: `querybell://queries/${id}`,
      name: name ?? sql,
      description: description ?? "",
      createdAt,
    }),
  );
  const seesReferences = caller.via.kind === "key" && caller.via.scopes.includes("references:read");
  const references = seesReferences
    ? (await listReferences(deps, caller, { ...page, isOptimistic: false })).items
    : [];
  const permalinks = references.map(({ shortId, title, description, createdAt }) => ({
    uri: `querybell://permalinks/${shortId}`,
    name: title,
    description: description ?? "",
    createdAt,
  }));
  return [...queries, ...permalinks]
    .toSorted((one, other) => (one.createdAt < other.createdAt ? 1 : -1))
    .slice(0, maxListed)
    .map(({ uri, name, description }) => ({
      uri,
      name: toPlain(shorten(name, 100), 101),
      description: toPlain(shorten(description, 200), 201),
      mimeType,
    }));
}

/** The tool whose answer is the resource, and its input. */
export function findResource(allowed: Allowed, uri: string): { tool: Tool; input: Record<string, string> } {
  for (const { uri: pattern, tool: name, toInput } of templates) {
    const [, id] = pattern.exec(uri) ?? [];
    const tool = allowed.get(name);
    if (id !== undefined && tool) return { tool, input: toInput(id) };
  }
  throw unknownResource(uri);
}

export const unknownResource = (uri: string) =>
  new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    "There is no such resource. resources/templates/list names the forms of addresses, search finds what there is.",
    { uri: uri.slice(0, 300) },
  );

export const toContents = (uri: string, text: string) => ({ contents: [{ uri, mimeType, text }] });
