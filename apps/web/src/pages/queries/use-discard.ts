import { useNavigate } from "@tanstack/react-router";
import { api } from "../../api.ts";
import { showUndo } from "../../ui/undo.tsx";
import type { DraftSync } from "./drafts/draft-sync.ts";
import type { Statement } from "./statement.ts";

interface DiscardParts {
  isNew: boolean;
  /** The name that the draft of a new query has already. */
  name: string | null;
  statement: Statement;
  sync: DraftSync;
  /** Shows the text of the statement. */
  show: () => void;
}

/** Discards what is not saved: the draft of a new query, or the changes of a saved one. Both can be undone. */
export function useDiscard({ isNew, name, statement, sync, show }: DiscardParts): () => void {
  const navigate = useNavigate();
  const discardNew = () => {
    const { sql, databaseId: analyticalDatabaseConfigId, parameters = null } = statement;
    void sync.end().catch(() => {});
    void navigate({ to: "/queries" });
    showUndo({
      message: "The draft is deleted.",
      undo: async () => {
        const content = { sql, analyticalDatabaseConfigId, name, parameters };
        const { id } = await api.drafts.create.mutate(content);
        await navigate({ to: "/queries/new", search: { draft: id } });
      },
    });
  };
  const discardChanges = () => {
    const { draft } = statement;
    statement.discard();
    show();
    void sync.store().catch(() => {});
    showUndo({
      message: "Your changes are discarded.",
      undo: async () => {
        if (!draft) return;
        const stored = sync.restore(draft);
        show();
        await stored;
      },
    });
  };
  return isNew ? discardNew : discardChanges;
}
