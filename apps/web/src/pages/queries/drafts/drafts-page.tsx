import { Button, Skeleton } from "@mantine/core";
import type { Outputs } from "@querybell/client";
import { IconPlus } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, trpc } from "../../../api.ts";
import { ErrorNotice, showFailure } from "../../../errors/error-notice.tsx";
import { EmptyState } from "../../../ui/empty-state.tsx";
import { Item, ItemList } from "../../../ui/item-list.tsx";
import { AnchorTo, ButtonTo } from "../../../ui/links.tsx";
import { PageHeader } from "../../../ui/page-header.tsx";
import { Timestamp } from "../../../ui/timestamp.tsx";
import { showUndo } from "../../../ui/undo.tsx";
import { queryTitle } from "../query-title.ts";

type ListedDraft = Outputs["drafts"]["list"][number];

/** The unsaved SQL of this person. */
export function DraftsPage() {
  const { data: drafts, error, refetch } = useQuery(trpc.drafts.list.queryOptions());
  return (
    <>
      <PageHeader
        title="Drafts"
        description="SQL that you have not saved. Only you see it. A draft that is not used for 30 days is removed."
      >
        <ButtonTo to="/queries/new" leftSection={<IconPlus size={16} />}>
          New query
        </ButtonTo>
      </PageHeader>
      {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {!drafts && !error && <Skeleton height={200} />}
      {drafts?.length === 0 && (
        <EmptyState
          title="No drafts"
          description="What you write in a query is kept here until you save it, also if you close the page or go on with another device."
        >
          <ButtonTo to="/queries">Go to the queries</ButtonTo>
        </EmptyState>
      )}
      {drafts && drafts.length > 0 && (
        <ItemList label="Drafts">
          {drafts.map((draft) => (
            <DraftItem key={draft.id} draft={draft} />
          ))}
        </ItemList>
      )}
    </>
  );
}

function DraftItem({ draft }: { draft: ListedDraft }) {
  const { id, queryId, sqlStart, name, queryName, updatedAt } = draft;
  const { data: databases } = useQuery(trpc.databases.list.queryOptions());
  const database = databases?.find((one) => one.id === draft.analyticalDatabaseConfigId)?.name;
  const title = queryTitle({ name: queryName ?? name, sql: sqlStart });
  const remove = useDeleteDraft(id);
  return (
    <Item
      title={
        queryId === null ? (
          <AnchorTo to="/queries/new" search={{ draft: id }}>
            {title}
          </AnchorTo>
        ) : (
          <AnchorTo to="/queries/$queryId" params={{ queryId }}>
            {title}
          </AnchorTo>
        )
      }
      actions={
        <Button
          size="xs"
          variant="default"
          aria-label={`Delete: ${title}`}
          aria-disabled={remove.isPending}
          onClick={() => {
            if (!remove.isPending) remove.mutate();
          }}
        >
          Delete
        </Button>
      }
    >
      <span>{queryId === null ? "New query" : "Changes of a saved query"}</span>
      {database !== undefined && <span>{database}</span>}
      <span>
        Changed <Timestamp at={updatedAt} format="relative" />
      </span>
    </Item>
  );
}

/** Deletes a draft. Its text is read first, so that it can be brought back. */
function useDeleteDraft(id: string) {
  const queries = useQueryClient();
  const refresh = () => queries.invalidateQueries({ queryKey: trpc.drafts.pathKey() });
  return useMutation({
    mutationFn: async () => {
      const draft = await api.drafts.get.query({ id });
      await api.drafts.delete.mutate({ id });
      return draft;
    },
    onSuccess: ({ sql, analyticalDatabaseConfigId, name, parameters, queryId, queryVersion }) => {
      void refresh();
      // The pressed button is gone.
      document.getElementById("page")?.focus();
      showUndo({
        message: "The draft is deleted.",
        undo: async () => {
          const ofQuery = queryId !== null && queryVersion !== null ? { queryId, queryVersion } : {};
          await api.drafts.create.mutate({ sql, analyticalDatabaseConfigId, name, parameters, ...ofQuery });
          await refresh();
        },
      });
    },
    onError: (error) => showFailure("Not deleted", error),
  });
}
