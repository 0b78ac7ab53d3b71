import { type CompletionContext, type CompletionResult, ifNotIn } from "@codemirror/autocomplete";
import { PostgreSQL, SQLDialect, StandardSQL } from "@codemirror/lang-sql";
import type { Extension } from "@codemirror/state";
import type { DatabaseTable, EngineKind } from "./engine-kinds.ts";
import { commonKeywords } from "./sql-keywords.ts";
import { tableCompletion } from "./table-completion.ts";

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

/** Where names and keywords mean nothing. */
const literals = ["String", "LineComment", "BlockComment"];

/** Highlighting and completion for an engine, from the tables that its database has. */
export function sqlLanguage(engine: EngineKind, tables: readonly DatabaseTable[]): Extension {
  const { language } = dialects[engine];
  const sources = [tableCompletion(engine, tables), columnsOf(tables), wordsOf(engine)];
  return [language, sources.map((source) => language.data.of({ autocomplete: ifNotIn(literals, source) }))];
}

/** While no table is named yet, the columns of this many are offered. */
const maxTables = 50;

/** Columns of every table that the statement names somewhere, without a prefix; of all tables while it names none. */
const columnsOf =
  (tables: readonly DatabaseTable[]) =>
  (context: CompletionContext): CompletionResult | null => {
    const word = context.matchBefore(/\w+/);
    if (!word || context.state.sliceDoc(word.from - 1, word.from) === ".") return null;
    const text = context.state.doc.toString().toLowerCase();
    const named = tables.filter(({ name }) => text.includes(name.toLowerCase()));
    const offered = named.length > 0 ? named : tables.slice(0, maxTables);
    const options = offered.flatMap(({ name, columns }) =>
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
