import type { ComponentProps } from "react";
import { LazySqlEditor } from "../../sql/lazy-sql-editor.tsx";
import type { Database } from "./query-toolbar.tsx";
import { type ChosenSchema, useTables } from "./use-tables.ts";

interface QueryEditorProps extends Omit<ComponentProps<typeof LazySqlEditor>, "engine" | "tables"> {
  database: Database | undefined;
  chosen: ChosenSchema | undefined;
}

/** The editor, which completes the names of the database's tables. */
export function QueryEditor({ database, chosen, ...rest }: QueryEditorProps) {
  const { tables } = useTables(database, chosen);
  return <LazySqlEditor engine={database?.engine ?? "postgres"} tables={tables} {...rest} />;
}
