import { Alert, Button, Code, Skeleton, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import type { Outputs } from "@querybell/client";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api, queryClient, trpc } from "../../api.ts";
import { ErrorNotice } from "../../errors/error-notice.tsx";
import { pluralize } from "../../format/pluralize.ts";
import { ConfirmModal } from "../../ui/confirm-modal.tsx";
import { CopyButton } from "../../ui/copyable.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Item, ItemList } from "../../ui/item-list.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { Tag } from "../../ui/tag.tsx";
import { Timestamp } from "../../ui/timestamp.tsx";
import { type EmbeddingDialog, EmbeddingModal } from "./embedding-modal.tsx";
import { SettingSwitch } from "./setting-switch.tsx";

type EmbeddingKey = Outputs["embedding"]["list"]["keys"][number];

/** Whether other applications may show charts and dashboards in frames, and the keys that sign for them. */
export function EmbeddingPage() {
  const { data, error, refetch } = useQuery(trpc.embedding.list.queryOptions());
  const { data: members } = useQuery(trpc.members.list.queryOptions());
  const [dialog, setDialog] = useState<EmbeddingDialog>();
  const [revoking, setRevoking] = useState<EmbeddingKey>();
  const revoke = async ({ id, name }: EmbeddingKey) => {
    await api.embedding.revoke.mutate({ id });
    await queryClient.invalidateQueries(trpc.embedding.pathFilter());
    notifications.show({ message: `The key ${name} is revoked. Its frames are closed within a second.` });
  };
  return (
    <>
      <PageHeader
        title="Embedding"
        description="Your own application shows charts and dashboards in frames. Its server signs a token that says which one, with which values."
      >
        <Button onClick={() => setDialog({ kind: "create" })}>Add a key</Button>
      </PageHeader>
      {data?.url === null && (
        <Alert color="amber" variant="light" title="This deployment serves no public pages" mb="md">
          Its operator gives the public process a database role (PUBLIC_DATABASE_URL) and an address
          (PUBLIC_PAGES_URL). It serves the frames, too.
        </Alert>
      )}
      <SettingSwitch
        title="Frames in other applications"
        description="With a valid token, the saved statements of one chart or dashboard run, with the rights of a service account."
        label="Applications with a key may embed"
        hint="Turning it off closes all frames within a second. Turning it on again opens them."
        isOn={({ embedding }) => embedding}
        toChange={(embedding) => ({ embedding })}
        messages={{ on: "Applications with a key may embed now.", off: "All frames are closed." }}
      />
      {error && <ErrorNotice error={error} onRetry={refetch} />}
      {!data && !error && <Skeleton height={180} />}
      {data?.url && data.keys.length > 0 && (
        <Text size="sm" mb="md">
          Tokens are exchanged at <Code>POST {data.url}</Code>.
        </Text>
      )}
      {data?.keys.length === 0 && (
        <EmptyState
          title="No keys yet"
          description="Make a key pair, keep the private key on the server of your application, and add the public key here."
        />
      )}
      {data && data.keys.length > 0 && (
        <ItemList label="Embedding keys">
          {data.keys.map((key) => (
            <KeyItem
              key={key.id}
              embeddingKey={key}
              isAllowed={data.isAllowed}
              account={members?.find(({ userId }) => userId === key.serviceAccountId)?.name}
              onOpen={setDialog}
              onRevoke={() => setRevoking(key)}
            />
          ))}
        </ItemList>
      )}
      <EmbeddingModal dialog={dialog} onClose={() => setDialog(undefined)} />
      <ConfirmModal
        opened={revoking !== undefined}
        onClose={() => setRevoking(undefined)}
        title={`Revoke the key ${revoking?.name}?`}
        action="Revoke the key"
        onConfirm={async () => revoking && revoke(revoking)}
      >
        Everything that it has signed ends, and its frames show nothing within a second. This cannot be
        undone.
      </ConfirmModal>
    </>
  );
}

interface KeyItemProps {
  embeddingKey: EmbeddingKey;
  isAllowed: boolean;
  account: string | undefined;
  onOpen: (dialog: EmbeddingDialog) => void;
  onRevoke: () => void;
}

function KeyItem({ embeddingKey, isAllowed, account, onOpen, onRevoke }: KeyItemProps) {
  const { id, name, isActive, origins, cacheMinutes, createdAt, lastUsedAt } = embeddingKey;
  return (
    <Item
      title={
        <>
          {name}{" "}
          {isActive ? (
            <Tag tone="good">In use</Tag>
          ) : (
            <Tag tone={isAllowed ? "bad" : "quiet"}>
              {isAllowed ? "Off: its service account is gone" : "Off: embedding is not allowed"}
            </Tag>
          )}
        </>
      }
      actions={
        <>
          <Button
            variant="default"
            size="xs"
            onClick={() => onOpen({ kind: "change", key: embeddingKey })}
            aria-label={`Change: ${name}`}
          >
            Change
          </Button>
          <Button
            variant="default"
            size="xs"
            onClick={() => onOpen({ kind: "rotate", key: embeddingKey })}
            aria-label={`Replace the public key: ${name}`}
          >
            Replace the public key
          </Button>
          <Button variant="default" size="xs" onClick={onRevoke} aria-label={`Revoke: ${name}`}>
            Revoke
          </Button>
        </>
      }
    >
      <span>
        Key id (kid): <Code>{id}</Code> <CopyButton value={id} what="the key id" />
      </span>
      <span>{account === undefined ? "Its service account is gone" : `Runs as ${account}`}</span>
      <span>Shown by {origins.join(", ")}</span>
      <span>Data is at most {pluralize(cacheMinutes, "minute")} old</span>
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
        Added <Timestamp at={createdAt} format="date" />
      </span>
    </Item>
  );
}
