import { EngineError } from "../../engine.ts";
import { openParser } from "./parser-instance.ts";

/** What DuckDB's parser makes of a text, or that the text is something else than a SELECT. */
export type Parsed = { kind: "select"; tree: unknown } | { kind: "other" };

// Parsing and walking this much takes some 50 ms.
const maxTreeLength = 4 * 1024 ** 2;

/**
 * A long statement is mostly a list of plain constants, about which nothing needs judging. All but the
 * first of a list are replaced before the tree leaves DuckDB's thread. No text can imitate one: inside of
 * a JSON string the quotes are escaped.
 */
const plainConstants = String.raw`,\{"class":"CONSTANT","type":"VALUE_CONSTANT","query_location":\d+,"value":\{"type":\{"id":"(?:INTEGER|BIGINT|VARCHAR)"\},"is_null":false,"value":(?:\d+|"(?:[^"\\]|\\.)*")\}\}`;

const serialize = `
  SELECT regexp_replace(
    json_serialize_sql($1::VARCHAR, skip_default := true, skip_null := true, skip_empty := true),
    $2::VARCHAR, ',1', 'g')`;

/** Parses without running or binding anything, in a database of its own that holds nothing. */
export async function parseSelect(text: string): Promise<Parsed> {
  const connection = await openParser();
  const reader = await connection.runAndReadAll(serialize, [text, plainConstants]);
  const json = String(reader.getRowsJson()[0]?.[0]);
  if (json.length > maxTreeLength) {
    throw new EngineError(
      "query_failed",
      "The statement is too long to be checked. Shorten it, or put its values into a table.",
    );
  }
  const { error, error_type, error_message, statements } = readJson(json);
  if (error) {
    if (error_type === "not implemented" && error_message?.startsWith("Only SELECT"))
      return { kind: "other" };
    throw new EngineError("query_failed", `The statement cannot be read: ${error_message}`);
  }
  if (statements?.length !== 1) throw new EngineError("query_failed", "A query is one statement.");
  return { kind: "select", tree: statements[0] };
}

interface Serialized {
  error: boolean;
  error_type?: string;
  error_message?: string;
  statements?: unknown[];
}

function readJson(json: string): Serialized {
  try {
    return JSON.parse(json);
  } catch {
    // DuckDB writes Infinity for a number beyond a double's range, which is no JSON.
    throw new EngineError(
      "query_failed",
      "A number in the statement is too large. Write it as text and cast it.",
    );
  }
}
