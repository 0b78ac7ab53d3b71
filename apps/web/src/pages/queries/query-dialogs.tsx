import { useQueryClient } from "@tanstack/react-query";
import { Suspense } from "react";
import { trpc } from "../../api.ts";
import type { EngineKind } from "../../engines/engine.ts";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { suggestName } from "./drafts/suggest-name.ts";
import type { Statement } from "./statement.ts";
import type { useQueryActions } from "./use-query-actions.ts";
import type { Query, useSaving } from "./use-saving.ts";

const ConflictDialog = lazyPart(async () => (await import("./conflict-dialog.tsx")).ConflictDialog);
const SaveDialog = lazyPart(async () => (await import("./drafts/save-dialog.tsx")).SaveDialog);

interface QueryDialogsProps {
  query: Query | undefined;
  draftName: string | null;
  statement: Statement;
  engine: EngineKind;
  saving: ReturnType<typeof useSaving>;
  actions: ReturnType<typeof useQueryActions>;
  onDiscard: () => void;
  /** Called to save this text on top of a version that somebody else has saved. */
  onSave: (sql: string, version: number) => Promise<void>;
}

/** What saving may ask: the name of a new query, or what to keep if somebody else has saved meanwhile. */
export function QueryDialogs(props: QueryDialogsProps) {
  const { query, draftName, statement, engine, saving, actions, onDiscard, onSave } = props;
  const queries = useQueryClient();
  return (
    <Suspense fallback={null}>
      {actions.isNaming && (
        <SaveDialog
          suggestedName={draftName ?? suggestName(statement.sql)}
          onClose={actions.stopNaming}
          onSave={actions.saveAs}
        />
      )}
      {saving.hasConflict && query && (
        <ConflictDialog
          queryId={query.id}
          statement={statement}
          engine={engine}
          onClose={saving.closeConflict}
          onDiscard={() => {
            onDiscard();
            saving.closeConflict();
            void queries.invalidateQueries(trpc.queries.get.queryFilter({ id: query.id }));
          }}
          onSave={async ({ sql, version, parameters }) => {
            saving.closeConflict();
            if (parameters) statement.define(parameters);
            await onSave(sql, version);
          }}
        />
      )}
    </Suspense>
  );
}
