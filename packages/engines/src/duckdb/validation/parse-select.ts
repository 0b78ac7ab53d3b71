import { isSignificant, type Token, tokenize } from "@querybell/statements/tokenizer";
import { z } from "zod";
import { EngineError } from "../../engine.ts";
import { type DuckdbConnection, DuckdbInstance } from "../driver.ts";
import { duckdbDialect } from "../duckdb-engine.ts";
import { offsetOfByte } from "../errors.ts";
import { sql } from "../trusted-sql.ts";

/** What DuckDB's parser makes of a text, or that the text is something else than a SELECT. */
export type Parsed = { kind: "select"; tree: unknown } | { kind: "other" };

// Parsing and walking this much holds the event loop for about 70 ms.
const maxTreeLength = 2 * 1024 ** 2;

/**
 * A long statement is mostly a list of constants or bound values, which need no validation. All but
 * the first of a list are replaced before the tree leaves DuckDB's thread. A string in the statement cannot match
 * these patterns, because quotes inside a JSON string are escaped.
 */
const constant = String.raw`\{"class":"CONSTANT","type":"VALUE_CONSTANT","query_location":\d+,"value":\{"type":\{"id":"(?:INTEGER|BIGINT|VARCHAR)"\},"is_null":false,"value":(?:\d+|"(?:[^"\\]|\\.)*")\}\}`;
const parameter = String.raw`\{"class":"PARAMETER","type":"VALUE_PARAMETER",(?:"query_location":\d+,)?"identifier":"\d+"\}`;
const castParameter = String.raw`\{"class":"CAST","type":"OPERATOR_CAST","query_location":\d+,"child":${parameter},"cast_type":\{"id":"(?:INTEGER|BIGINT|DOUBLE|VARCHAR)"\}\}`;
const parameterNumber = String.raw`\{"key":"\d+","value":\d+\}`;
const plainValues = `,(?:${constant}|${parameter}|${castParameter}|${parameterNumber})`;

const serialize = sql`
  SELECT regexp_replace(
    json_serialize_sql($1::VARCHAR, skip_default := true, skip_null := true, skip_empty := true),
    $2::VARCHAR, ',1', 'g')`;

/**
 * Parses in an empty in-memory database. `json_serialize_sql` only calls the parser: unlike every call of the driver that
 * takes SQL, it evaluates nothing of the text, and expands no PRAGMA.
 */
export async function parseSelect(text: string): Promise<Parsed> {
  const connection = await openParser();
  const reader = await connection.runAndReadAll(serialize, [text, plainValues]);
  const json = String(reader.getRowsJson()[0]?.[0]);
  if (json.length > maxTreeLength) {
    throw new EngineError(
      "query_failed",
      "The statement is too long to be checked. Shorten it, or put its values into a table.",
    );
  }
  const { error, error_type, error_message, position, statements } = readStatements(json);
  if (error) {
    if (error_type === "not implemented" && error_message.startsWith("Only SELECT")) return { kind: "other" };
    const kind = error_type.replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase());
    const offset = position === undefined ? undefined : offsetOfByte(text, position);
    throw new EngineError("query_failed", `${kind} Error: ${error_message}`, { offset });
  }
  if (statements?.length !== 1) throw new EngineError("query_failed", "A query is one statement.");
  return { kind: "select", tree: statements[0] };
}

const SerializedStatements = z.object({
  error: z.boolean(),
  error_type: z.string().default(""),
  error_message: z.string().default(""),
  position: z.coerce.number().int().optional(),
  statements: z.array(z.unknown()).optional(),
});

function readStatements(json: string): z.infer<typeof SerializedStatements> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(json);
  } catch {
    // DuckDB writes Infinity for a number beyond the range of a double, which is not JSON.
    throw new EngineError(
      "query_failed",
      "A number in the statement is too large. Write it as text and cast it.",
    );
  }
  return SerializedStatements.parse(parsed);
}

let opening: Promise<DuckdbConnection> | undefined;

/**
 * An empty in-memory database, used for its parser and system catalog only. Opened once in each process, because that
 * takes as long as opening a database file.
 */
export function openParser(): Promise<DuckdbConnection> {
  opening ??= create();
  return opening;
}

async function create(): Promise<DuckdbConnection> {
  const instance = await DuckdbInstance.open(":memory:", {
    enable_external_access: "false",
    autoload_known_extensions: "false",
    threads: "1",
    lock_configuration: "true",
  });
  return instance.connect();
}

const optionWords = new Set(["(", ")", ",", "analyze", "format", "text", "json", "html", "graphviz", "yaml"]);

interface ExplainStatement {
  /** EXPLAIN and its options in known words, as long as what it replaces, so that positions stay the same. */
  prefix: string;
  /** The statement that is explained. */
  explained: string;
}

/** Splits an EXPLAIN; undefined for any other statement. */
export function splitExplain(text: string): ExplainStatement | undefined {
  if (!/explain/i.test(text)) return undefined;
  const tokens = tokenize(text, duckdbDialect);
  const [explain, ...rest] = tokens.filter(isSignificant);
  if (explain?.text.toLowerCase() !== "explain") return undefined;
  const options = rest.slice(0, countOptionWords(rest.map((token) => token.text.toLowerCase())));
  const start = rest[options.length]?.start ?? text.length;
  // Not a part of the text: where DuckDB would read it differently, it gets only these words.
  const known = new Set<Token>([explain, ...options]);
  const prefix = tokens
    .filter((token) => token.start < start)
    .map((token) => (known.has(token) ? token.text : " ".repeat(token.text.length)))
    .join("");
  return { prefix, explained: text.slice(start) };
}

function countOptionWords(words: string[]): number {
  if (words[0] === "analyze") return 1;
  if (words[0] !== "(" || !optionWords.has(words[1] ?? "")) return 0;
  const end = words.indexOf(")");
  return words.slice(0, end).every((word) => optionWords.has(word)) ? end + 1 : 0;
}
