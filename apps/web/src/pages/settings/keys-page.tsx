import { Button, Code, Skeleton } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import type { Outputs } from "@querybell/client";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api, queryClient, trpc } from "../../api.ts";
import { ErrorNotice } from "../../errors/error-notice.tsx";
import { ConfirmModal } from "../../ui/confirm-modal.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Item, ItemList } from "../../ui/item-list.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { Tag } from "../../ui/tag.tsx";
import { Timestamp } from "../../ui/timestamp.tsx";
import { NewKeyModal } from "./new-key-modal.tsx";

type ApiKey = Outputs["keys"]["list"][number];

export function KeysPage() {
  const keys = useQuery(trpc.keys.list.queryOptions(undefined, { refetchInterval: 5_000 }));
  const members = useQuery(trpc.members.list.queryOptions());
  const [isCreating, setIsCreating] = useState(false);
  const [revoking, setRevoking] = useState<ApiKey>();
  const ownerOf = ({ userId }: ApiKey) => members.data?.find((member) => member.userId === userId)?.name;

  const revoke = async ({ id, name }: ApiKey) => {
    await api.keys.revoke.mutate({ id });
    await queryClient.invalidateQueries(trpc.keys.pathFilter());
    notifications.show({ message: `The key ${name} is revoked. It stops working within five seconds.` });
  };
  const create = <Button onClick={() => setIsCreating(true)}>Create a key</Button>;

  return (
    <>
      <PageHeader
        title="API keys"
        description="Programs call Querybell with a key. A key acts for the person who created it, within its scopes, and can never change settings."
      >
        {create}
      </PageHeader>
      {keys.error && <ErrorNotice error={keys.error} onRetry={keys.refetch} />}
      {!keys.data && !keys.error && <Skeleton height={180} />}
      {keys.data?.length === 0 && (
        <EmptyState
          title="No keys yet"
          description="Create one for each program that calls Querybell, so that you can see when each was last used and revoke it separately."
        />
      )}
      {keys.data && keys.data.length > 0 && (
        <ItemList label="API keys">
          {keys.data.map((key) => (
            <KeyItem key={key.id} apiKey={key} owner={ownerOf(key)} onRevoke={() => setRevoking(key)} />
          ))}
        </ItemList>
      )}
      <NewKeyModal opened={isCreating} onClose={() => setIsCreating(false)} />
      <ConfirmModal
        opened={revoking !== undefined}
        onClose={() => setRevoking(undefined)}
        title={`Revoke the key ${revoking?.name}?`}
        action="Revoke the key"
        onConfirm={async () => revoking && revoke(revoking)}
      >
        Every program that uses <Code>{revoking?.start}…</Code> is refused within five seconds. This cannot be
        undone: a program that needs access again needs a new key.
      </ConfirmModal>
    </>
  );
}

interface KeyItemProps {
  apiKey: ApiKey;
  owner: string | undefined;
  onRevoke: () => void;
}

function KeyItem({ apiKey, owner, onRevoke }: KeyItemProps) {
  const { name, start, scopes, createdAt, expiresAt, lastUsedAt } = apiKey;
  const isExpired = expiresAt !== null && Date.parse(expiresAt) <= Date.now();
  return (
    <Item
      title={
        <>
          {name} <Code>{start}…</Code>
          {isExpired && <Tag tone="bad">Expired</Tag>}
        </>
      }
      actions={
        <Button variant="default" size="xs" onClick={onRevoke} aria-label={`Revoke the key ${name}`}>
          Revoke
        </Button>
      }
    >
      <span>{scopes.join(", ")}</span>
      <span>
        {lastUsedAt ? (
          <>
            Last used <Timestamp at={lastUsedAt} format="relative" />
          </>
        ) : (
          "Never used"
        )}
      </span>
      <span>
        Made <Timestamp at={createdAt} format="date" />
        {owner !== undefined && ` by ${owner}`}
      </span>
      <span>
        {expiresAt ? (
          <>
            {isExpired ? "Expired" : "Expires"} <Timestamp at={expiresAt} />
          </>
        ) : (
          "Does not expire"
        )}
      </span>
    </Item>
  );
}
