import { Button, Skeleton, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import type { Outputs } from "@querybell/client";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api, queryClient, trpc } from "../../api.ts";
import { ErrorNotice } from "../../errors/error-notice.tsx";
import { ConfirmModal } from "../../ui/confirm-modal.tsx";
import { Item, ItemList } from "../../ui/item-list.tsx";
import { Section } from "../../ui/section.tsx";
import { Timestamp } from "../../ui/timestamp.tsx";

type Program = Outputs["connectedPrograms"]["mine"][number];

/** The programs that the person has connected, in all their organizations. */
export function OwnPrograms() {
  const { data, error, refetch } = useQuery(
    trpc.connectedPrograms.mine.queryOptions(undefined, { refetchInterval: 5_000 }),
  );
  return (
    <Programs
      description="Programs that you have connected by signing in. They have your rights, within their scopes."
      programs={data}
      error={error}
      onRetry={refetch}
      disconnect={({ id }) => api.connectedPrograms.disconnect.mutate({ id })}
    />
  );
}

/** The programs of everybody in the organization, for admins. */
export function OrganizationPrograms() {
  const { data, error, refetch } = useQuery(
    trpc.connectedPrograms.list.queryOptions(undefined, { refetchInterval: 5_000 }),
  );
  return (
    <Programs
      description="Programs that people of the organization have connected by signing in. Each has the rights of its person, within its scopes."
      programs={data}
      error={error}
      onRetry={refetch}
      disconnect={({ id }) => api.connectedPrograms.revoke.mutate({ id })}
      showsOwners
    />
  );
}

interface ProgramsProps {
  description: string;
  programs: Program[] | undefined;
  error: unknown;
  onRetry: () => void;
  disconnect: (program: Program) => Promise<unknown>;
  showsOwners?: boolean;
}

function Programs({ description, programs, error, onRetry, disconnect, showsOwners = false }: ProgramsProps) {
  const [ending, setEnding] = useState<Program>();
  return (
    <Section title="Connected programs" description={description}>
      {!!error && <ErrorNotice error={error} onRetry={onRetry} />}
      {!programs && !error && <Skeleton height={60} />}
      {programs?.length === 0 && (
        <Text c="dimmed" size="sm">
          No program is connected.
        </Text>
      )}
      {programs && programs.length > 0 && (
        <ItemList label="Connected programs">
          {programs.map((one) => (
            <ProgramItem key={one.id} program={one} showsOwner={showsOwners} onEnd={() => setEnding(one)} />
          ))}
        </ItemList>
      )}
      <ConfirmModal
        opened={ending !== undefined}
        onClose={() => setEnding(undefined)}
        title={`Disconnect ${ending?.program.name}?`}
        action="Disconnect the program"
        onConfirm={async () => {
          if (!ending) return;
          await disconnect(ending);
          await queryClient.invalidateQueries(trpc.connectedPrograms.pathFilter());
          notifications.show({ message: `${ending.program.name} is disconnected, within five seconds.` });
        }}
      >
        It is refused within five seconds, and its subscriptions to events end. It can ask to be connected
        again.
      </ConfirmModal>
    </Section>
  );
}

interface ProgramItemProps {
  program: Program;
  showsOwner: boolean;
  onEnd: () => void;
}

function ProgramItem({ program, showsOwner, onEnd }: ProgramItemProps) {
  const { organization, owner, scopes, createdAt, expiresAt, lastUsedAt } = program;
  const { name, host } = program.program;
  return (
    <Item
      title={name}
      actions={
        <Button variant="default" size="xs" onClick={onEnd} aria-label={`Disconnect ${name}`}>
          Disconnect
        </Button>
      }
    >
      <span>{host}</span>
      <span>{showsOwner ? owner.name : organization.name}</span>
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
        Connected <Timestamp at={createdAt} format="date" />, until <Timestamp at={expiresAt} format="date" />
      </span>
    </Item>
  );
}
