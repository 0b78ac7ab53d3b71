import { Button } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import type { Outputs } from "@querybell/client";
import { useState } from "react";
import { api, queryClient, trpc } from "../../api.ts";
import { formatBytes } from "../../format/bytes.ts";
import { pluralize } from "../../format/pluralize.ts";
import { ConfirmModal } from "../../ui/confirm-modal.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Item, ItemList } from "../../ui/item-list.tsx";
import { Timestamp } from "../../ui/timestamp.tsx";
import { QueryTableButton } from "../queries/drafts/query-table-button.tsx";

type Table = Outputs["uploads"]["overview"]["tables"][number];

interface TableListProps {
  tables: readonly Table[];
  databaseId: string;
  mayChange: boolean;
}

/** The tables made of uploaded files. */
export function TableList({ tables, databaseId, mayChange }: TableListProps) {
  const [dropping, setDropping] = useState<Table>();
  const drop = async ({ name }: Table) => {
    await api.uploads.drop.mutate({ table: name });
    await queryClient.invalidateQueries(trpc.uploads.pathFilter());
    await queryClient.invalidateQueries(trpc.databases.pathFilter());
    notifications.show({ message: `The table ${name} is dropped.` });
  };
  if (tables.length === 0) {
    return (
      <EmptyState
        title="No tables yet"
        description="A table appears here once a file is imported. Query it like any other table, chart it, and share it."
      />
    );
  }
  return (
    <>
      <ItemList label="Tables">
        {tables.map((table) => (
          <TableItem
            key={table.name}
            table={table}
            databaseId={databaseId}
            onDrop={mayChange ? () => setDropping(table) : undefined}
          />
        ))}
      </ItemList>
      <ConfirmModal
        opened={dropping !== undefined}
        onClose={() => setDropping(undefined)}
        title={`Drop the table ${dropping?.name}?`}
        action="Drop the table"
        onConfirm={async () => dropping && drop(dropping)}
      >
        Its {pluralize(dropping?.rowCount ?? 0, "row")} are deleted. Queries on it fail from then on; results
        that they have already stay until they expire.
      </ConfirmModal>
    </>
  );
}

interface TableItemProps {
  table: Table;
  databaseId: string;
  onDrop: (() => void) | undefined;
}

function TableItem({ table, databaseId, onDrop }: TableItemProps) {
  const { name, rowCount, columns, bytes, fileName, updatedAt, updatedBy } = table;
  return (
    <Item
      title={name}
      actions={
        <>
          <QueryTableButton
            size="xs"
            databaseId={databaseId}
            name={name}
            sql={`SELECT * FROM ${name} LIMIT 1000`}
          />
          {onDrop && (
            <Button size="xs" variant="default" aria-label={`Drop ${name}`} onClick={onDrop}>
              Drop
            </Button>
          )}
        </>
      }
    >
      <span>{pluralize(rowCount, "row")}</span>
      <span>{pluralize(columns.length, "column")}</span>
      <span>{formatBytes(bytes)}</span>
      <span>From {fileName}</span>
      <span>
        Changed <Timestamp at={updatedAt} format="relative" />
        {updatedBy && ` by ${updatedBy.name}`}
      </span>
    </Item>
  );
}
