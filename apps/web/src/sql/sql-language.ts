import type { CompletionContext, CompletionResult } from "@codemirror/autocomplete";
import {
  PostgreSQL,
  SQLDialect,
  type SQLNamespace,
  StandardSQL,
  schemaCompletionSource,
} from "@codemirror/lang-sql";
import type { Extension } from "@codemirror/state";
import { type DatabaseTable, defaultSchemaOf, type EngineKind } from "./engine-kinds.ts";
import { commonKeywords } from "./sql-keywords.ts";

const duckdbKeywords =
  "pivot unpivot qualify asof positional sample exclude replace columns summarize describe semi anti glob";

const duckdb = SQLDialect.define({
  ...PostgreSQL.spec,
  keywords: `${PostgreSQL.spec.keywords} ${duckdbKeywords}`,
});

const trino = SQLDialect.define({
  ...StandardSQL.spec,
  keywords: `${StandardSQL.spec.keywords} limit tablesample bernoulli match_recognize unnest ordinality`,
  types: `${StandardSQL.spec.types} varbinary json uuid ipaddress row map hyperloglog tdigest`,
});

const dialects: Record<EngineKind, SQLDialect> = { duckdb, postgres: PostgreSQL, trino };

/** Highlighting and completion for an engine, from the tables that its database has. */
export function sqlLanguage(engine: EngineKind, tables: readonly DatabaseTable[]): Extension {
  const { language } = dialects[engine];
  const defaultSchema = defaultSchemaOf(engine);
  const config = {
    schema: namespaceOf(tables),
    ...(defaultSchema !== "" && { defaultSchema }),
    dialect: dialects[engine],
  };
  const sources = [schemaCompletionSource(config), columnsOf(tables), wordsOf(engine)];
  return [language, sources.map((autocomplete) => language.data.of({ autocomplete }))];
}

function namespaceOf(tables: readonly DatabaseTable[]): SQLNamespace {
  const namespace: Record<string, Record<string, { label: string; detail: string; type: string }[]>> = {};
  for (const { schema, name, columns } of tables) {
    namespace[schema] ??= {};
    namespace[schema][name] = columns.map((column) => ({
      label: column.name,
      detail: column.type,
      type: "property",
    }));
  }
  return namespace;
}

/** Columns of every table that the statement names somewhere, without a prefix. */
const columnsOf =
  (tables: readonly DatabaseTable[]) =>
  (context: CompletionContext): CompletionResult | null => {
    const word = context.matchBefore(/\w+/);
    if (!word || context.state.sliceDoc(word.from - 1, word.from) === ".") return null;
    const text = context.state.doc.toString().toLowerCase();
    const named = tables.filter(({ name }) => text.includes(name.toLowerCase()));
    const options = named.flatMap(({ name, columns }) =>
      columns.map((column) => ({
        label: column.name,
        detail: `${name} · ${column.type}`,
        type: "property",
        boost: 1,
      })),
    );
    return options.length === 0 ? null : { from: word.from, options, validFor: /^\w*$/ };
  };

function wordsOf(engine: EngineKind) {
  const options = commonKeywords(engine).map((word) => ({
    label: word.toUpperCase(),
    type: "keyword",
    boost: -1,
  }));
  return (context: CompletionContext): CompletionResult | null => {
    const word = context.matchBefore(/\w+/);
    if (!word || context.state.sliceDoc(word.from - 1, word.from) === ".") return null;
    return { from: word.from, options, validFor: /^\w*$/ };
  };
}
