import { EngineError } from "../../engine.ts";
import { collectUses, type Uses } from "./collect-uses.ts";
import { explainedStatement } from "./explained-statement.ts";
import type { FileCatalog } from "./file-catalog.ts";
import { expressionFunctions, type JudgedFunctions, tableFunctions } from "./judged-functions.ts";
import { parseSelect } from "./parse-select.ts";
import { describeRefusal } from "./refusal-reasons.ts";
import { systemViews } from "./system-views.ts";

/** Names in FROM with one of these characters are files to DuckDB where there is no such table. */
const fileCharacters = /[./\\:*?[]/;

interface Definitions {
  what: string;
  find(name: string): string[];
  toQuery(sql: string): string;
}

/** Judges statements on one database file before they run: what it refuses is never bound. */
export class StatementJudge {
  readonly #catalog: FileCatalog;
  /** Definitions of the file that have passed, with everything they use. */
  readonly #passed = new Set<string>();

  constructor(catalog: FileCatalog) {
    this.#catalog = catalog;
  }

  /** Throws an `EngineError` whose sentence is for the writer of the query. */
  async check(text: string): Promise<void> {
    // DuckDB could read a text up to its first NUL, and the judge all of it.
    if (text.includes("\0")) refuse("The statement holds a NUL character. Remove it.");
    const check = new Check(this.#catalog, this.#passed, await systemViews());
    await check.hidingMacros();
    await check.statement(explainedStatement(text) ?? text);
    for (const definition of check.visited) this.#passed.add(definition);
  }
}

class Check {
  /** Also ends the recursion where definitions use each other. */
  readonly visited = new Set<string>();
  readonly #catalog: FileCatalog;
  readonly #passed: ReadonlySet<string>;
  readonly #macros: Definitions;
  readonly #tableMacros: Definitions;
  readonly #views: Definitions;
  readonly #tables: Definitions;

  constructor(catalog: FileCatalog, passed: ReadonlySet<string>, ownViews: ReadonlyMap<string, string[]>) {
    const { macros, tableMacros, views, tables } = catalog;
    this.#catalog = catalog;
    this.#passed = passed;
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
   * that hides one is called without being named, so these are judged for every statement.
   */
  async hidingMacros(): Promise<void> {
    for (const name of this.#catalog.macros.keys()) {
      if (isJudged(expressionFunctions, name)) await this.#definitions(this.#macros, name);
    }
    for (const name of this.#catalog.tableMacros.keys()) {
      if (isJudged(tableFunctions, name)) await this.#definitions(this.#tableMacros, name);
    }
  }

  async statement(text: string): Promise<void> {
    const parsed = await parseSelect(text);
    if (parsed.kind === "other") refuse(describeOther(text));
    await this.#uses(collectUses(parsed.tree));
  }

  async #uses(uses: Uses): Promise<void> {
    for (const name of uses.expressionFunctions) {
      checkFunction(expressionFunctions, name, this.#catalog.macros.has(name));
      await this.#definitions(this.#macros, name);
    }
    for (const name of uses.tableFunctions) {
      checkFunction(tableFunctions, name, this.#catalog.tableMacros.has(name));
      await this.#definitions(this.#tableMacros, name);
    }
    for (const name of uses.tables) {
      if (fileCharacters.test(name)) this.#refuseFile(name, uses);
      await this.#definitions(this.#views, name);
      await this.#definitions(this.#tables, name);
    }
  }

  /**
   * A name that WITH defines is refused too: it is a table only where that WITH is in scope, and a file anywhere else
   * in the same statement.
   */
  #refuseFile(name: string, { commonTables }: Uses): void {
    const { tables, views } = this.#catalog;
    if (tables.has(name) || views.has(name)) return;
    if (commonTables.has(name)) {
      refuse(`WITH names a table ${name}, which could be a file. Name it without any of . / \\ : * ? [`);
    }
    refuse(`There is no table ${name} in the database, and queries read no files. Check its name.`);
  }

  async #definitions({ what, find, toQuery }: Definitions, name: string): Promise<void> {
    const found = find(name);
    const key = `${what} ${name}`;
    if (found.length === 0 || this.visited.has(key) || this.#passed.has(key)) return;
    this.visited.add(key);
    for (const sql of found) {
      try {
        await this.statement(toQuery(sql));
      } catch (error) {
        if (!(error instanceof EngineError)) throw error;
        throw new EngineError("query_failed", `The ${what} ${name} cannot be used here. ${error.message}`);
      }
    }
  }
}

const isJudged = ({ allowed, refused }: JudgedFunctions, name: string): boolean =>
  allowed.has(name) || refused.has(name);

function checkFunction({ allowed, refused }: JudgedFunctions, name: string, isMacro: boolean): void {
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
