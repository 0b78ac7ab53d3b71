import { EngineError } from "../../engine.ts";
import { type FileCatalog, systemViews } from "./catalog.ts";
import { collectUsedNames, type UsedNames } from "./collect-used-names.ts";
import { describeRefusal, expressionFunctions, type FunctionList, tableFunctions } from "./function-lists.ts";
import { parseSelect, splitExplain } from "./parse-select.ts";

/** Names in FROM with one of these characters are files to DuckDB where there is no such table. */
const fileCharacters = /[./\\:*?[]/;

interface Definitions {
  what: string;
  find(name: string): string[];
  toQuery(sql: string): string;
}

class ValidatedText {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  /** The statement that may be run. Positions in it are those in the text that was validated. */
  get text(): string {
    return this.#text;
  }
}

/** Only a `StatementValidator` can make one. */
export type ValidatedStatement = ValidatedText;

/** Validates statements on one database file. A text goes to DuckDB only after that. */
export class StatementValidator {
  readonly #catalog: FileCatalog;
  /** Definitions of the file that are valid, with everything they use. */
  readonly #valid = new Set<string>();

  constructor(catalog: FileCatalog) {
    this.#catalog = catalog;
  }

  /** Throws an `EngineError` with a message for the author of the query. */
  async validate(text: string): Promise<ValidatedStatement> {
    // DuckDB could stop at the first NUL and run less than what is validated here.
    if (text.includes("\0")) refuse("The statement holds a NUL character. Remove it.");
    const validation = new Validation(this.#catalog, this.#valid, await systemViews());
    await validation.validateShadowingMacros();
    const { prefix, explained } = splitExplain(text) ?? { prefix: "", explained: text };
    await validation.validateStatement(" ".repeat(prefix.length) + explained);
    for (const definition of validation.visited) this.#valid.add(definition);
    return new ValidatedText(prefix + explained);
  }
}

class Validation {
  /** Ends the recursion when definitions refer to each other. */
  readonly visited = new Set<string>();
  readonly #catalog: FileCatalog;
  readonly #valid: ReadonlySet<string>;
  readonly #macros: Definitions;
  readonly #tableMacros: Definitions;
  readonly #views: Definitions;
  readonly #tables: Definitions;

  constructor(catalog: FileCatalog, valid: ReadonlySet<string>, ownViews: ReadonlyMap<string, string[]>) {
    const { macros, tableMacros, views, tables } = catalog;
    this.#catalog = catalog;
    this.#valid = valid;
    const asIs = (sql: string) => sql;
    const find = (map: ReadonlyMap<string, string[]>) => (name: string) => map.get(name) ?? [];
    this.#macros = { what: "macro", find: find(macros), toQuery: (sql) => `SELECT (${sql})` };
    this.#tableMacros = { what: "table macro", find: find(tableMacros), toQuery: asIs };
    this.#tables = { what: "table", find: find(tables), toQuery: (sql) => `SELECT ${sql}` };
    this.#views = {
      what: "view",
      find: (name) => [...(views.get(name) ?? []), ...(ownViews.get(name) ?? [])],
      toQuery: asIs,
    };
  }

  /**
   * DuckDB itself calls functions by their names, as SUMMARIZE calls approx_quantile. A macro of the file
   * that shadows one is called without being named, so these are validated for every statement.
   */
  async validateShadowingMacros(): Promise<void> {
    for (const name of this.#catalog.macros.keys()) {
      if (isListed(expressionFunctions, name)) await this.#validateDefinitions(this.#macros, name);
    }
    for (const name of this.#catalog.tableMacros.keys()) {
      if (isListed(tableFunctions, name)) await this.#validateDefinitions(this.#tableMacros, name);
    }
  }

  async validateStatement(text: string): Promise<void> {
    const parsed = await parseSelect(text);
    if (parsed.kind === "other") refuse(describeOther(text));
    await this.#validateNames(collectUsedNames(parsed.tree));
  }

  async #validateNames(uses: UsedNames): Promise<void> {
    for (const name of uses.expressionFunctions) {
      checkFunction(expressionFunctions, name, this.#catalog.macros.has(name));
      await this.#validateDefinitions(this.#macros, name);
    }
    for (const name of uses.tableFunctions) {
      checkFunction(tableFunctions, name, this.#catalog.tableMacros.has(name));
      await this.#validateDefinitions(this.#tableMacros, name);
    }
    for (const name of uses.tables) {
      if (fileCharacters.test(name)) this.#refuseFile(name, uses);
      await this.#validateDefinitions(this.#views, name);
      await this.#validateDefinitions(this.#tables, name);
    }
  }

  /**
   * A name that WITH defines is refused too: it is a table only where that WITH is in scope, and a file anywhere else
   * in the same statement.
   */
  #refuseFile(name: string, { commonTables }: UsedNames): void {
    const { tables, views } = this.#catalog;
    if (tables.has(name) || views.has(name)) return;
    if (commonTables.has(name)) {
      refuse(`WITH names a table ${name}, which could be a file. Name it without any of . / \\ : * ? [`);
    }
    refuse(`There is no table ${name} in the database, and queries read no files. Check its name.`);
  }

  async #validateDefinitions({ what, find, toQuery }: Definitions, name: string): Promise<void> {
    const found = find(name);
    const key = `${what} ${name}`;
    if (found.length === 0 || this.visited.has(key) || this.#valid.has(key)) return;
    this.visited.add(key);
    for (const sql of found) {
      try {
        await this.validateStatement(toQuery(sql));
      } catch (error) {
        if (!(error instanceof EngineError)) throw error;
        throw new EngineError("query_failed", `The ${what} ${name} cannot be used here. ${error.message}`);
      }
    }
  }
}

const isListed = ({ allowed, refused }: FunctionList, name: string): boolean =>
  allowed.has(name) || refused.has(name);

function checkFunction({ allowed, refused }: FunctionList, name: string, isMacro: boolean): void {
  const reason = refused.get(name);
  if (reason) refuse(describeRefusal(name, reason));
  if (!allowed.has(name) && !isMacro) {
    refuse(`There is no function ${name}() that queries can use here. Check its name.`);
  }
}

function describeOther(text: string): string {
  if (/\bpivot/i.test(text)) {
    return "PIVOT needs its values in a query: write ON status IN ('paid', 'open'), or sum(x) FILTER (WHERE status = 'paid').";
  }
  return "A query can only read: write a SELECT.";
}

function refuse(message: string): never {
  throw new EngineError("query_failed", message);
}
