import { defaultEngine, engines } from "../../engines/engines.ts";
import { SchemaTree } from "../../sql/schema-tree.tsx";
import type { Database } from "./query-toolbar.tsx";
import { type ChosenSchema, useTables } from "./use-tables.ts";

interface QuerySchemaProps {
  database: Database | undefined;
  chosen: ChosenSchema | undefined;
  onChoose: (chosen: ChosenSchema) => void;
  onInsert: (text: string) => void;
}

/** The tables of the query's database. Read here and not by the page: when they arrive, the page is not drawn again. */
export function QuerySchema({ database, chosen, onChoose, onInsert }: QuerySchemaProps) {
  const { tables, error, refetch, choice, showMore } = useTables(database, chosen);
  const choose = (schema: string) => database && onChoose({ databaseId: database.id, schema });
  return (
    <SchemaTree
      tables={tables}
      error={error}
      onRetry={refetch}
      choice={choice && { ...choice, choose }}
      onMore={showMore}
      defaultSchema={engines[database?.engine ?? defaultEngine].defaultSchema}
      onInsert={onInsert}
    />
  );
}
