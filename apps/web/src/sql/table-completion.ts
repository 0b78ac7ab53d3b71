import type {
  Completion,
  CompletionContext,
  CompletionResult,
  CompletionSource,
} from "@codemirror/autocomplete";
import { syntaxTree } from "@codemirror/language";
import type { Outputs } from "@querybell/client";
import type { EngineKind } from "../engines/engine.ts";
import { engines } from "../engines/engines.ts";
import { quoteName } from "./quote-name.ts";
import { aliasesAt, isIdentifier, pathBefore } from "./sql-names.ts";

export type DatabaseTable = Outputs["databases"]["tables"][number];
type Tables = ReadonlyMap<string, readonly Completion[]>;
type Schemas = ReadonlyMap<string, Tables>;

/**
 * Completes schemas, tables, aliases and, after a point, the columns of a table. The language's own source walks the
 * whole statement node by node: in one of 500 lines that takes several times as long, while somebody types.
 */
export function tableCompletion(engine: EngineKind, tables: readonly DatabaseTable[]): CompletionSource {
  const schemas = schemasOf(tables);
  const inDefault = schemas.get(engines[engine].defaultSchema) ?? new Map();
  const top = [...toOptions(schemas.keys(), "namespace"), ...toOptions(inDefault.keys(), "type")];

  const optionsAfter = (path: readonly string[]): readonly Completion[] | undefined => {
    const [first = "", second] = path;
    if (path.length > 2) return undefined;
    if (second !== undefined) return schemas.get(first)?.get(second);
    const ofSchema = schemas.get(first);
    return ofSchema ? toOptions(ofSchema.keys(), "type") : inDefault.get(first);
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
  /** What stands before it, without points and quotes: `["main", "orders"]` of `main.orders.to`. */
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

function toResult(
  { state, pos }: CompletionContext,
  { from, isQuoted }: TypedName,
  options: readonly Completion[],
): CompletionResult {
  if (!isQuoted) return { from, options, validFor: /^\w*$/ };
  const isClosed = state.sliceDoc(pos, pos + 1) === '"';
  const quoted = options.map(({ label, ...rest }) => ({ ...rest, label: `"${label}"`, apply: `"${label}"` }));
  return { from, ...(isClosed && { to: pos + 1 }), options: quoted, validFor: /^"?\w*"?$/ };
}

const toOptions = (names: Iterable<string>, type: string): Completion[] =>
  [...names].map((label) => ({ label, type, apply: quoteName(label) }));

function schemasOf(tables: readonly DatabaseTable[]): Schemas {
  const schemas = new Map<string, Map<string, Completion[]>>();
  for (const { schema, name, columns } of tables) {
    const ofSchema = schemas.get(schema) ?? new Map<string, Completion[]>();
    schemas.set(schema, ofSchema);
    const options = columns.map(({ name: label, type: detail }) => ({
      label,
      detail,
      type: "property",
      apply: quoteName(label),
    }));
    ofSchema.set(name, options);
  }
  return schemas;
}
