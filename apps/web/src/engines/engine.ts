import type { Outputs } from "@querybell/client";
import type { DialectOptions } from "sql-formatter";

export type EngineKind = Outputs["databases"]["list"][number]["engine"];

/** What pages know about an engine. It is loaded with every query, so it has no code of the editor or of forms. */
export interface Engine {
  label: string;
  /** The schema of tables that are named without one. */
  defaultSchema: string;
  /** Whether it can have too many tables to list them all: they are listed schema by schema, and by page. */
  listsTablesBySchema: boolean;
  editor: EditorDialect;
  /** Loads the formatter of its SQL. */
  loadFormatter(): Promise<DialectOptions>;
}

/** How the editor highlights and completes its SQL. Words are separated by spaces. */
interface EditorDialect {
  base: "PostgreSQL" | "StandardSQL";
  /** Keywords and types that the base lacks. */
  keywords: string;
  types: string;
  /** Keywords that completion offers, besides those that every engine has. */
  offeredKeywords: string;
}
