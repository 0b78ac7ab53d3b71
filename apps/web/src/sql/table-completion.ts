import type {
  Completion,
  CompletionContext,
  CompletionResult,
  CompletionSource,
} from "@codemirror/autocomplete";
import { syntaxTree } from "@codemirror/language";
import type { EditorState, Text } from "@codemirror/state";
import type { EngineKind } from "../engines/engine.ts";
import { engines } from "../engines/engines.ts";
import type { DatabaseTable } from "./described-tables.ts";
import { quoted, quoteName } from "./quote-name.ts";

type Tables = ReadonlyMap<string, readonly Completion[]>;
type Schemas = ReadonlyMap<string, Tables>;
/** What completion says about tables, by schema and name. */
type About = (schema: string, table: string) => string | undefined;

/**
 * Completes schemas, tables, aliases and, after a point, the columns of a table. The language's own source walks the
 * whole statement node by node: in one of 500 lines that takes several times as long, while somebody types.
 */
export function tableCompletion(engine: EngineKind, tables: readonly DatabaseTable[]): CompletionSource {
  const schemas = schemasOf(tables);
  const { defaultSchema } = engines[engine];
  const inDefault = schemas.get(defaultSchema) ?? new Map();
  const about = aboutTables(tables);
  const tablesOf = (schema: string, names: Iterable<string>) =>
    toOptions(names, "type", (name) => about(schema, name));
  const top = [...toOptions(schemas.keys(), "namespace"), ...tablesOf(defaultSchema, inDefault.keys())];

  const optionsAfter = (path: readonly string[]): readonly Completion[] | undefined => {
    const [first = "", second] = path;
    if (path.length > 2) return undefined;
    if (second !== undefined) return schemas.get(first)?.get(second);
    const ofSchema = schemas.get(first);
    return ofSchema ? tablesOf(first, ofSchema.keys()) : inDefault.get(first);
  };

  return (context) => {
    const typed = nameAt(context);
    if (!typed) return null;
    const aliases = aliasesAt(context.state, context.pos);
    const [first = ""] = typed.parents;
    const path = typed.parents.length === 1 ? (aliases.get(first) ?? typed.parents) : typed.parents;
    const options =
      path.length === 0 ? [...top, ...toOptions(aliases.keys(), "constant")] : optionsAfter(path);
    return options ? toResult(context, typed, options) : null;
  };
}

interface TypedName {
  from: number;
  isQuoted: boolean;
  /** The names before it, without dots and quotes: `["main", "orders"]` of `main.orders.to`. */
  parents: string[];
}

/** The name that is being typed; null where none is, unless somebody asks for completion. */
function nameAt({ state, pos, explicit }: CompletionContext): TypedName | null {
  const node = syntaxTree(state).resolveInner(pos, -1);
  if (isIdentifier(node) || node.name === "Keyword") {
    const isQuoted = node.name === "QuotedIdentifier";
    return { from: node.from, isQuoted, parents: pathBefore(state, node.from) };
  }
  if (node.name === ".") return { from: pos, isQuoted: false, parents: pathBefore(state, pos) };
  return explicit ? { from: pos, isQuoted: false, parents: [] } : null;
}

/** Suggestions for a name. In quotes, they replace these too. */
export function toResult(
  { state, pos }: CompletionContext,
  { from, isQuoted }: Pick<TypedName, "from" | "isQuoted">,
  options: readonly Completion[],
): CompletionResult {
  if (!isQuoted) return { from, options, validFor: /^\w*$/ };
  const isClosed = state.sliceDoc(pos, pos + 1) === '"';
  const inQuotes = options.map(({ label, ...rest }) => ({
    ...rest,
    label: `"${label}"`,
    apply: quoted(label),
  }));
  return { from, ...(isClosed && { to: pos + 1 }), options: inQuotes, validFor: /^"?\w*"?$/ };
}

const toOptions = (
  names: Iterable<string>,
  type: string,
  about: (name: string) => string | undefined = () => undefined,
): Completion[] =>
  [...names].map((label) => ({ label, type, apply: quoteName(label), ...infoOf(about(label)) }));

/** Shown beside the chosen option, as text. */
export const infoOf = (about: string | undefined): Pick<Completion, "info"> =>
  about === undefined ? {} : { info: about };

function aboutTables(tables: readonly DatabaseTable[]): About {
  const keyOf = (schema: string, name: string) => `${schema}\0${name}`;
  const found = new Map(tables.map(({ schema, name, about }) => [keyOf(schema, name), about]));
  return (schema, name) => found.get(keyOf(schema, name));
}

function schemasOf(tables: readonly DatabaseTable[]): Schemas {
  const schemas = new Map<string, Map<string, Completion[]>>();
  for (const { schema, name, columns } of tables) {
    const ofSchema = schemas.get(schema) ?? new Map<string, Completion[]>();
    schemas.set(schema, ofSchema);
    const options = columns.map(({ name: label, type: detail, about }) => ({
      label,
      detail,
      type: "property",
      apply: quoteName(label),
      ...infoOf(about),
    }));
    ofSchema.set(name, options);
  }
  return schemas;
}

type SyntaxNode = ReturnType<typeof syntaxTree>["topNode"];

/** Keywords after which no more tables are named. */
const endsOfFrom = new Set(
  "where group having order union intersect except limit offset fetch for window qualify".split(" "),
);

const isIdentifier = ({ name }: { name: string }): boolean =>
  name === "Identifier" || name === "QuotedIdentifier";

/** A name without its quotes. */
function nameOf({ from, to }: { from: number; to: number }, doc: Text): string {
  const text = doc.sliceString(from, to);
  return /^".*"$/.test(text) ? text.slice(1, -1).replaceAll('""', '"') : text.replace(/^"/, "");
}

/** The names before a position that dots join to the name that begins there. */
function pathBefore(state: EditorState, pos: number): string[] {
  const path: string[] = [];
  const cursor = syntaxTree(state).cursorAt(pos, -1);
  while (cursor.name === ".") {
    cursor.moveTo(cursor.from, -1);
    if (!isIdentifier(cursor)) break;
    path.unshift(nameOf(cursor, state.doc));
    cursor.moveTo(cursor.from, -1);
  }
  return path;
}

/** The tables of the aliases in the statement at a position: `o` is `["main", "orders"]`. */
function aliasesAt(state: EditorState, pos: number): Map<string, string[]> {
  const aliases = new Map<string, string[]>();
  // A statement can have thousands of tokens. A cursor passes them without creating a node for each.
  const cursor = statementAt(state, pos)?.cursor();
  if (!cursor?.firstChild()) return aliases;
  let isAfterFrom = false;
  let named: string[] | undefined;
  do {
    const keyword = cursor.name === "Keyword" ? state.sliceDoc(cursor.from, cursor.to).toLowerCase() : "";
    if (keyword === "from") isAfterFrom = true;
    else if (!isAfterFrom || keyword === "as") continue;
    else if (endsOfFrom.has(keyword)) break;
    else if (isIdentifier(cursor) && named) {
      aliases.set(nameOf(cursor, state.doc), named);
      named = undefined;
      continue;
    }
    named = pathOf(cursor.node, state.doc);
  } while (cursor.nextSibling());
  return aliases;
}

function statementAt(state: EditorState, pos: number): SyntaxNode | null {
  let node: SyntaxNode | null = syntaxTree(state).resolveInner(pos, -1);
  while (node && node.name !== "Statement") node = node.parent;
  return node;
}

/** The parts of a name; undefined for everything else. */
function pathOf(node: SyntaxNode, doc: Text): string[] | undefined {
  if (isIdentifier(node)) return [nameOf(node, doc)];
  if (node.name !== "CompositeIdentifier") return undefined;
  const path: string[] = [];
  for (let child = node.firstChild; child; child = child.nextSibling) {
    if (isIdentifier(child)) path.push(nameOf(child, doc));
  }
  return path;
}
