import { Button, Paper, SimpleGrid, Skeleton, Text } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { trpc } from "../../api.ts";
import { SmallChart } from "../../charts/small-chart.tsx";
import { ErrorNotice } from "../../errors/error-notice.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { AnchorTo, ButtonTo } from "../../ui/links.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { Timestamp } from "../../ui/timestamp.tsx";

/** All references, newest first. */
export function ReferencesPage() {
  const list = useInfiniteQuery(
    trpc.references.list.infiniteQueryOptions(
      { limit: 24, isOptimistic: false },
      { getNextPageParam: ({ nextCursor }) => nextCursor },
    ),
  );
  const references = list.data?.pages.flatMap(({ items }) => items);
  return (
    <>
      <PageHeader
        title="References"
        description="Charts and tables with a link each, for every member to open."
      />
      {list.error && <ErrorNotice error={list.error} onRetry={() => void list.refetch()} />}
      {!references && !list.error && <Skeleton height={320} />}
      {references?.length === 0 && (
        <EmptyState
          title="Nothing shared yet"
          description="A reference is a bookmark on a query: it has a title, a chart and a short link. Make one from a query's page."
        >
          <ButtonTo to="/queries">Choose a query</ButtonTo>
        </EmptyState>
      )}
      <SimpleGrid cols={{ base: 1, sm: 2, xl: 3 }}>
        {references?.map(({ shortId, title, description, updatedAt }) => (
          <Paper key={shortId} withBorder p="md" component="article">
            <AnchorTo to="/q/$shortId" params={{ shortId }} fw={600} underline="hover">
              {title}
            </AnchorTo>
            <Text size="sm" c="dimmed" lineClamp={1} mb="xs">
              {description ?? <Timestamp at={updatedAt} format="relative" />}
            </Text>
            <SmallChart shortId={shortId} height={140} />
          </Paper>
        ))}
      </SimpleGrid>
      {list.hasNextPage && (
        <Button
          variant="default"
          mt="md"
          loading={list.isFetchingNextPage}
          onClick={() => void list.fetchNextPage()}
        >
          Show more
        </Button>
      )}
    </>
  );
}
