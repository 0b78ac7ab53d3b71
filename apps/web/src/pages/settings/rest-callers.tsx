import { Code, Skeleton, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { trpc } from "../../api.ts";
import { ErrorNotice } from "../../errors/error-notice.tsx";
import { Item, ItemList } from "../../ui/item-list.tsx";
import { Tag } from "../../ui/tag.tsx";
import { Timestamp } from "../../ui/timestamp.tsx";

/** The callers that retiring the REST routes would affect: the last call of each key and route. */
export function RestCallers() {
  const {
    data: calls,
    error,
    refetch,
  } = useQuery(trpc.settings.restCalls.queryOptions(undefined, { refetchInterval: 30_000 }));
  return (
    <>
      <Title order={3} size="h6" mb="xs" mt="md">
        Who still calls
      </Title>
      {error && <ErrorNotice error={error} onRetry={refetch} />}
      {!calls && !error && <Skeleton height={60} />}
      {calls?.length === 0 && (
        <Text c="dimmed" size="sm">
          No key of this organization has called a REST route.
        </Text>
      )}
      {calls && calls.length > 0 && (
        <ItemList label="Who still calls">
          {calls.map(({ key, owner, route, lastCalledAt, retired }) => (
            <Item
              key={`${key.id} ${route}`}
              title={
                <>
                  {key.name} <Code>{key.start}…</Code>
                  {key.revoked && <Tag>Key revoked</Tag>}
                  {retired && <Tag>Answered 404</Tag>}
                </>
              }
            >
              <span>{route}</span>
              <span>
                Last <Timestamp at={lastCalledAt} format="relative" />
              </span>
              <span>
                {owner.name}, {owner.email}
              </span>
            </Item>
          ))}
        </ItemList>
      )}
    </>
  );
}
