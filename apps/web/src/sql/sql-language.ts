import { type CompletionContext, type CompletionResult, ifNotIn } from "@codemirror/autocomplete";
import { PostgreSQL, SQLDialect, StandardSQL } from "@codemirror/lang-sql";
import { type LRLanguage, syntaxTree } from "@codemirror/language";
import type { Extension } from "@codemirror/state";
import type { EngineKind } from "../engines/engine.ts";
import { engines } from "../engines/engines.ts";
import type { DatabaseTable } from "./described-tables.ts";
import { quoteName } from "./quote-name.ts";
import { infoOf, tableCompletion, toResult } from "./table-completion.ts";

/** Keywords that completion offers on every engine. The dialects have hundreds more, which are rarely wanted. */
const commonKeywords =
  "select from where group by order having limit offset join left right full inner outer cross lateral on using as distinct " +
  "union all except intersect with recursive values case when then else end and or not in is null like ilike between exists " +
  "any some cast over partition rows range window filter asc desc nulls first last true false interval date timestamp " +
  "extract coalesce nullif greatest least count sum avg min max round date_trunc string_agg array_agg row_number rank lag lead";

const bases = { PostgreSQL, StandardSQL };
const languages = new Map<EngineKind, LRLanguage>();

/**
 * After a change, whole buffers of the syntax tree are parsed again. Those of the default length, 1,024, hold ten lines of
 * SQL: a key took 1.1 to 1.5 ms, and with shorter ones 0.2 ms.
 */
const bufferLength = 128;

function languageOf(engine: EngineKind): LRLanguage {
  const known = languages.get(engine);
  if (known) return known;
  const { base, keywords, types } = engines[engine].editor;
  const { spec } = bases[base];
  const dialect = SQLDialect.define({
    ...spec,
    keywords: `${spec.keywords} ${keywords}`,
    types: `${spec.types} ${types}`,
  });
  const language = dialect.language.configure({ bufferLength });
  languages.set(engine, language);
  return language;
}

/** Where names mean nothing, and where keywords do not. */
const literals = ["String", "LineComment", "BlockComment"];
const withoutKeywords = [...literals, "QuotedIdentifier"];

/** Highlighting and completion for an engine, from the tables that its database has. */
export function sqlLanguage(engine: EngineKind, tables: readonly DatabaseTable[]): Extension {
  const language = languageOf(engine);
  const sources = [
    ifNotIn(literals, tableCompletion(engine, tables)),
    ifNotIn(literals, columnsOf(tables)),
    ifNotIn(withoutKeywords, wordsOf(engine)),
  ];
  return [language, sources.map((autocomplete) => language.data.of({ autocomplete }))];
}

/** While no table is named yet, the columns of this many are offered. */
const maxTables = 50;

/** Columns of every table that the statement names somewhere, without a prefix; of all tables while it names none. */
const columnsOf =
  (tables: readonly DatabaseTable[]) =>
  (context: CompletionContext): CompletionResult | null => {
    const typed = typedWord(context);
    if (!typed) return null;
    const text = context.state.doc.toString().toLowerCase();
    const named = tables.filter(({ name }) => text.includes(name.toLowerCase()));
    const offered = named.length > 0 ? named : tables.slice(0, maxTables);
    const options = offered.flatMap(({ name, columns }) =>
      columns.map((column) => ({
        label: column.name,
        apply: quoteName(column.name),
        detail: `${name} · ${column.type}`,
        type: "property",
        boost: 1,
        ...infoOf(column.about),
      })),
    );
    return options.length === 0 ? null : toResult(context, typed, options);
  };

/** The word before the cursor, or the name in quotes around it, unless a point is before it. */
function typedWord(context: CompletionContext): { from: number; isQuoted: boolean } | undefined {
  const node = syntaxTree(context.state).resolveInner(context.pos, -1);
  const isQuoted = node.name === "QuotedIdentifier";
  const from = isQuoted ? node.from : context.matchBefore(/\w+/)?.from;
  if (from === undefined || context.state.sliceDoc(from - 1, from) === ".") return undefined;
  return { from, isQuoted };
}

function wordsOf(engine: EngineKind) {
  const words = `${commonKeywords} ${engines[engine].editor.offeredKeywords}`.trimEnd().split(" ");
  const options = words.map((word) => ({
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
