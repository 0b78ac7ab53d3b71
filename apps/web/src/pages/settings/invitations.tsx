import { Button, Title } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { queryClient, trpc } from "../../api.ts";
import { ErrorNotice } from "../../errors/error-notice.tsx";
import { Item, ItemList } from "../../ui/item-list.tsx";
import { Timestamp } from "../../ui/timestamp.tsx";

/** The open invitations. */
export function Invitations() {
  const { data: invitations, error, refetch } = useQuery(trpc.invitations.list.queryOptions());
  const revoke = useMutation(
    trpc.invitations.revoke.mutationOptions({
      onSettled: () => queryClient.invalidateQueries(trpc.invitations.pathFilter()),
    }),
  );
  if (error && !invitations) return <ErrorNotice error={error} onRetry={refetch} />;
  if (!invitations || invitations.length === 0) return null;
  return (
    <>
      <Title order={2} size="h4" mt="xl" mb="sm">
        Open invitations
      </Title>
      {revoke.error && <ErrorNotice error={revoke.error} />}
      <ItemList label="Open invitations">
        {invitations.map(({ id, email, role, createdAt, expiresAt }) => (
          <Item
            key={id}
            title={email}
            actions={
              <Button
                variant="default"
                size="xs"
                aria-label={`Take back the invitation of ${email}`}
                onClick={() => revoke.mutate({ id })}
              >
                Take back
              </Button>
            }
          >
            <span>As {role}</span>
            <span>
              Invited <Timestamp at={createdAt} format="relative" />
            </span>
            <span>
              Expires <Timestamp at={expiresAt} format="relative" />
            </span>
          </Item>
        ))}
      </ItemList>
    </>
  );
}
