import { Button, Code, Skeleton } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import type { Outputs } from "@querybell/client";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api, queryClient, trpc } from "../../api.ts";
import { ErrorNotice } from "../../errors/error-notice.tsx";
import { pluralize } from "../../format/pluralize.ts";
import { ConfirmModal } from "../../ui/confirm-modal.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Item, ItemList } from "../../ui/item-list.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { Tag } from "../../ui/tag.tsx";
import { Timestamp } from "../../ui/timestamp.tsx";
import { NewKeyModal } from "./new-key-modal.tsx";
import { ServiceAccountModal } from "./service-account-modal.tsx";
import { SettingSwitch } from "./setting-switch.tsx";

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
  const [isCreatingAccount, setIsCreatingAccount] = useState(false);
  const create = <Button onClick={() => setIsCreating(true)}>Create a key</Button>;

  return (
    <>
      <PageHeader
        title="API keys"
        description="Programs call Querybell with a key. A key acts for the person who created it or for a service account, within its scopes, and can never change settings."
      >
        <Button variant="default" onClick={() => setIsCreatingAccount(true)}>
          Create a service account
        </Button>
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
      <SettingSwitch
        title="SQL of their own"
        description="Agents that connect over MCP run saved queries. They can also write SQL, with the rights of the key's owner: it only reads."
        label="Keys with the scope sql:run may run SQL"
        hint="Only on databases on which the key's owner may write SQL, with the limits of the database."
        isOn={({ keysRunSql }) => keysRunSql}
        toChange={(keysRunSql) => ({ keysRunSql })}
        messages={{ on: "Keys may run SQL now.", off: "Keys run saved queries only." }}
      />
      <ServiceAccountModal opened={isCreatingAccount} onClose={() => setIsCreatingAccount(false)} />
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
  const { name, start, scopes, databaseIds, folderIds, createdAt, expiresAt, lastUsedAt } = apiKey;
  const places = [
    databaseIds && pluralize(databaseIds.length, "database"),
    folderIds && pluralize(folderIds.length, "folder"),
  ].filter((place) => place !== null);
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
      {places.length > 0 && <span>Only for {places.join(" and ")}</span>}
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
        {owner !== undefined && `, acts for ${owner}`}
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
