import { Button, Skeleton } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import type { Outputs } from "@querybell/client";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api, queryClient, trpc } from "../../api.ts";
import { formOf } from "../../engines/engine-forms.ts";
import { engines } from "../../engines/engines.ts";
import { ErrorNotice } from "../../errors/error-notice.tsx";
import { pluralize } from "../../format/pluralize.ts";
import { ConfirmModal } from "../../ui/confirm-modal.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Item, ItemList } from "../../ui/item-list.tsx";
import { ButtonTo } from "../../ui/links.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { Tag } from "../../ui/tag.tsx";
import { TestedConnection } from "./tested-connection.tsx";

type Database = Outputs["databases"]["describe"][number];

export function DatabasesPage() {
  const { data: databases, error, refetch } = useQuery(trpc.databases.describe.queryOptions());
  const [deleting, setDeleting] = useState<Database>();
  const add = <ButtonTo to="/settings/databases/new">Add a database</ButtonTo>;

  const remove = async ({ id, name }: Database) => {
    await api.databases.delete.mutate({ id });
    await queryClient.invalidateQueries(trpc.databases.pathFilter());
    notifications.show({ message: `${name} is deleted.` });
  };
  return (
    <>
      <PageHeader
        title="Databases"
        description="The databases that queries run on. Give Querybell a user with read-only access."
      >
        {add}
      </PageHeader>
      {error && <ErrorNotice error={error} onRetry={refetch} />}
      {!databases && !error && <Skeleton height={140} />}
      {databases?.length === 0 && (
        <EmptyState
          title="No databases yet"
          description="Add the database that holds your data: queries, charts and automations begin there."
        >
          {add}
        </EmptyState>
      )}
      {databases && databases.length > 0 && (
        <ItemList label="Databases">
          {databases.map((database) => (
            <DatabaseItem key={database.id} database={database} onDelete={() => setDeleting(database)} />
          ))}
        </ItemList>
      )}
      <ConfirmModal
        opened={deleting !== undefined}
        onClose={() => setDeleting(undefined)}
        title={`Delete the database ${deleting?.name}?`}
        action="Delete the database"
        onConfirm={async () => deleting && remove(deleting)}
      >
        Its connection and password are forgotten, and what runs there is cancelled.{" "}
        {deleting?.queryCount === 0
          ? "No query uses it."
          : `${pluralize(deleting?.queryCount ?? 0, "query", "queries")} on it cannot run any more, until each is moved to another database.`}{" "}
        The data itself is not changed.
      </ConfirmModal>
    </>
  );
}

interface DatabaseItemProps {
  database: Database;
  onDelete: () => void;
}

function DatabaseItem({
  database: { id, name, connection, limits, queryCount },
  onDelete,
}: DatabaseItemProps) {
  const test = useMutation(trpc.databases.test.mutationOptions());
  return (
    <Item
      title={
        <>
          {name} <Tag>{engines[connection.engine].label}</Tag>
        </>
      }
      actions={
        <>
          <Button
            variant="default"
            size="xs"
            aria-label={`Test the connection to ${name}`}
            aria-disabled={test.isPending}
            onClick={() => test.mutate({ id })}
          >
            {test.isPending ? "Testing…" : "Test"}
          </Button>
          <ButtonTo
            to="/settings/databases/$databaseId"
            params={{ databaseId: id }}
            variant="default"
            size="xs"
            aria-label={`Edit ${name}`}
          >
            Edit
          </ButtonTo>
          <Button variant="default" size="xs" aria-label={`Delete ${name}`} onClick={onDelete}>
            Delete
          </Button>
        </>
      }
    >
      <span>{formOf(connection.engine).describe(connection.settings)}</span>
      <span>{pluralize(queryCount, "query", "queries")}</span>
      <span>
        At most {pluralize(limits.rows, "row")} and {pluralize(limits.timeMs / 1000, "second")} a run
      </span>
      <TestedConnection test={test} />
    </Item>
  );
}
