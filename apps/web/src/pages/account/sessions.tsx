import { Button, Skeleton } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import type { Outputs } from "@querybell/client";
import { useMutation, useQuery } from "@tanstack/react-query";
import { api, queryClient, trpc } from "../../api.ts";
import { ErrorNotice, showFailure } from "../../errors/error-notice.tsx";
import { signOutAndReload } from "../../session/session-changes.ts";
import { Item, ItemList } from "../../ui/item-list.tsx";
import { Section } from "../../ui/section.tsx";
import { Tag } from "../../ui/tag.tsx";
import { Timestamp } from "../../ui/timestamp.tsx";

type Session = Outputs["sessions"]["list"][number];

/** The person's sessions: where each was used last. Ends one, or all others. */
export function Sessions() {
  const { data: sessions, error, refetch } = useQuery(trpc.sessions.list.queryOptions());
  const onSuccess = () => queryClient.invalidateQueries(trpc.sessions.pathFilter());
  const onError = (failure: unknown) => showFailure("Not signed out", failure);
  const end = useMutation({
    mutationFn: ({ id, isCurrent }: Session) =>
      isCurrent ? signOutAndReload() : api.sessions.end.mutate({ id }),
    onSuccess,
    onError,
  });
  const endOthers = useMutation({
    mutationFn: () => api.sessions.endOthers.mutate(),
    onSuccess: async () => {
      await onSuccess();
      notifications.show({ message: "Your other devices are signed out." });
    },
    onError,
  });
  const hasOthers = sessions?.some(({ isCurrent }) => !isCurrent) ?? false;
  return (
    <Section
      title="Where you are signed in"
      description="Each browser names itself. If you do not know one, sign it out and change your password."
      actions={
        hasOthers && (
          <Button variant="default" size="xs" onClick={() => endOthers.mutate()}>
            Sign out all others
          </Button>
        )
      }
    >
      {error && !sessions && <ErrorNotice error={error} onRetry={refetch} />}
      {!sessions && !error && <Skeleton height={60} />}
      {sessions && (
        <ItemList label="Sessions">
          {sessions.map((session) => (
            <SessionItem key={session.id} session={session} onEnd={() => end.mutate(session)} />
          ))}
        </ItemList>
      )}
    </Section>
  );
}

const SessionItem = ({ session, onEnd }: { session: Session; onEnd: () => void }) => (
  <Item
    title={
      <>
        {session.program} {session.isCurrent && <Tag>This browser</Tag>}
      </>
    }
    actions={
      <Button variant="default" size="xs" onClick={onEnd} aria-label={`Sign out ${session.program}`}>
        Sign out
      </Button>
    }
  >
    <span>{session.address ?? "Unknown address"}</span>
    <span>
      Used <Timestamp at={session.lastUsedAt} format="relative" />
    </span>
    <span>
      Signed in <Timestamp at={session.createdAt} />
    </span>
  </Item>
);
