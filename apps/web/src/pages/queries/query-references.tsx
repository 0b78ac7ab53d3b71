import { Button, Group, Paper, SimpleGrid, Skeleton, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { IconChartLine } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Suspense, useState } from "react";
import { api, trpc } from "../../api.ts";
import { ErrorNotice } from "../../errors/error-notice.tsx";
import { toFailure } from "../../errors/failure.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { AnchorTo } from "../../ui/links.tsx";
import type { Query } from "./use-saving.ts";

const SmallChart = lazyPart(async () => (await import("../../charts/small-chart.tsx")).SmallChart);

/** The references to a query: each is a permalink with its own chart. */
export function QueryReferences({ query }: { query: Query }) {
  const references = useQuery(trpc.queries.references.queryOptions({ id: query.id }));
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [isCreating, setCreating] = useState(false);

  const create = async () => {
    setCreating(true);
    try {
      const { shortId } = await api.references.create.mutate({
        queryId: query.id,
        // A reference of a query without a name is named on the next page, after its chart.
        ...(query.name !== null && { title: query.name }),
      });
      void queries.invalidateQueries(trpc.queries.references.queryFilter({ id: query.id }));
      void queries.invalidateQueries(trpc.references.list.queryFilter());
      await navigate({ to: "/q/$shortId/edit", params: { shortId } });
    } catch (error) {
      setCreating(false);
      notifications.show({ color: "red", title: "Not created", message: toFailure(error).message });
    }
  };
  const button = (
    <Button leftSection={<IconChartLine size={16} />} loading={isCreating} onClick={() => void create()}>
      New chart and link
    </Button>
  );
  if (references.error)
    return <ErrorNotice error={references.error} onRetry={() => void references.refetch()} />;
  if (!references.data) return <Skeleton height={200} />;
  if (references.data.length === 0) {
    return (
      <EmptyState
        title="Nothing shared yet"
        description="A reference gives this query's result a chart and a short link that every member of your organization can open."
      >
        {button}
      </EmptyState>
    );
  }
  return (
    <>
      <Group mb="md">{button}</Group>
      <SimpleGrid cols={{ base: 1, sm: 2, xl: 3 }}>
        {references.data.map(({ shortId, title, description }) => (
          <Paper key={shortId} withBorder p="md">
            <AnchorTo to="/q/$shortId" params={{ shortId }} fw={600}>
              {title}
            </AnchorTo>
            <Text size="sm" c="dimmed" lineClamp={1} mb="xs">
              {description ?? `/q/${shortId}`}
            </Text>
            <Suspense fallback={<Skeleton height={140} />}>
              <SmallChart shortId={shortId} height={140} />
            </Suspense>
          </Paper>
        ))}
      </SimpleGrid>
    </>
  );
}
