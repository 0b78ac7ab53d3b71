import type { Caller, SearchHit, SearchHits, SearchText } from "@querybell/domain";
import type { Deps } from "./deps.ts";
import { jsonTimestamp } from "./json-timestamp.ts";

interface Searched {
  kind: SearchHit["kind"];
  from: string;
  /** The same expression as in the index, so that Postgres uses the index. */
  words: string;
  title: string;
  /** Hits are ranked by the words in it. */
  name: string;
  detail: string;
  shortId: string;
  /** Archived items are not found. */
  isListed: string;
}

const searched: Searched[] = [
  {
    kind: "query",
    from: "queries",
    words: "coalesce(name, '') || ' ' || coalesce(description, '') || ' ' || sql",
    title: "coalesce(name, left(btrim(split_part(btrim(sql, E' \\t\\r\\n'), E'\\n', 1)), 200))",
    name: "coalesce(name, '')",
    detail: "coalesce(description, sql)",
    shortId: "NULL",
    isListed: "archived_at IS NULL",
  },
  {
    kind: "reference",
    from: "query_references",
    words: "title || ' ' || coalesce(description, '')",
    title: "title",
    name: "title",
    detail: "coalesce(description, '')",
    shortId: "short_id",
    isListed: "archived_at IS NULL",
  },
  {
    kind: "automation",
    from: "automations",
    words: "name || ' ' || instruction",
    title: "name",
    name: "name",
    detail: "instruction",
    shortId: "NULL",
    isListed: "true",
  },
  {
    kind: "dashboard",
    from: "dashboards",
    words: "title || ' ' || coalesce(description, '')",
    title: "title",
    name: "title",
    detail: "coalesce(description, '')",
    shortId: "NULL",
    isListed: "archived_at IS NULL",
  },
];

// Only names are ranked: parsing the SQL of every match costs far more than finding it in the index. Titles and details
// are computed only for the best matches.
const bestOf = ({ kind, from, words, title, name, detail, shortId, isListed }: Searched) => `
  (SELECT '${kind}' AS kind, id, ${shortId} AS "shortId", ${title} AS title, left(${detail}, 200) AS detail,
    ${jsonTimestamp("updated_at")} AS "updatedAt", rank
  FROM (
    SELECT *, ts_rank(querybell_search_words(${name}), to_tsquery('simple', $2)) AS rank
    FROM ${from}
    WHERE organization_id = $1 AND deleted_at IS NULL AND ${isListed} AND querybell_search_words(${words}) @@ to_tsquery('simple', $2)
    ORDER BY rank DESC, updated_at DESC, id LIMIT $3) AS best)`;

const allKinds = searched.map(({ kind }) => kind);

const statementFor = (kinds: Searched[]) => `
  SELECT * FROM (${kinds.map(bestOf).join(" UNION ALL ")}) AS found
  ORDER BY rank DESC, "updatedAt" DESC, id LIMIT $3`;

/** Searches the organization's queries, references, automations and dashboards, or some kinds of them. */
export async function search(
  { db }: Pick<Deps, "db">,
  { organizationId }: Pick<Caller, "organizationId">,
  { text, kind, limit, kinds = kind ? [kind] : allKinds }: SearchText & { kinds?: SearchHit["kind"][] },
): Promise<SearchHits> {
  const query = prefixQuery(text);
  if (query === undefined || kinds.length === 0) return { items: [] };
  const { rows } = await db.pool.query<SearchHit>({
    name: `search_${[...kinds].sort().join("_")}`,
    text: statementFor(searched.filter((one) => kinds.includes(one.kind))),
    values: [organizationId, query, limit],
  });
  return { items: rows };
}

const maxCharacters = 200;
const maxWords = 10;

// The same separators as in the function querybell_search_words.
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters separate words too.
const separators = /[\x00-\x2f\x3a-\x40\x5b-\x60\x7b-\x7f]+/;

/**
 * Converts a search text to the syntax of Postgres's `to_tsquery`: every word is a required prefix. Undefined if the
 * text has no words. The words contain no character that `to_tsquery` treats as an operator.
 */
export function prefixQuery(text: string): string | undefined {
  const words = text.slice(0, maxCharacters).toWellFormed().split(separators).filter(Boolean);
  if (words.length === 0) return undefined;
  return words
    .slice(0, maxWords)
    .map((word) => `'${word}':*`)
    .join(" & ");
}
