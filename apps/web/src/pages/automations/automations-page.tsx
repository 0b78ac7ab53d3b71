import { Skeleton, Stack } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import { api, trpc } from "../../api.ts";
import { ErrorNotice } from "../../errors/error-notice.tsx";
import { pluralize } from "../../format/pluralize.ts";
import { isUnfinished } from "../../runs/run-state.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { ButtonTo } from "../../ui/links.tsx";
import { LoadMore } from "../../ui/load-more.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { AutomationCard } from "./automation-card.tsx";

const limit = 50;
const whileRunningMs = 2000;
const otherwiseMs = 30_000;

/** All automations, newest first, each with its next and its latest run. */
export function AutomationsPage() {
  const { data, error, refetch, ...more } = useInfiniteQuery({
    queryKey: trpc.automations.list.infiniteQueryKey({ limit }),
    queryFn: ({ pageParam, signal }) =>
      api.automations.list.query({ limit, ...(pageParam && { cursor: pageParam }) }, { signal }),
    initialPageParam: "",
    getNextPageParam: ({ nextCursor }) => nextCursor,
    refetchInterval: ({ state }) => {
      const shown = state.data?.pages.flatMap(({ items }) => items) ?? [];
      return shown.some(({ latestRun }) => latestRun && isUnfinished(latestRun))
        ? whileRunningMs
        : otherwiseMs;
    },
  });
  const automations = data?.pages.flatMap(({ items }) => items);
  return (
    <>
      <PageHeader
        title="Automations"
        description="An automation runs some references by itself or when asked, and says what it found."
      >
        <ButtonTo to="/automations/new" leftSection={<IconPlus size={16} />}>
          New automation
        </ButtonTo>
      </PageHeader>
      {error && <ErrorNotice error={error} onRetry={refetch} />}
      {!automations && !error && <Loading />}
      {automations?.length === 0 && (
        <EmptyState
          title="Nothing runs by itself yet"
          description="Let Querybell look at your references every morning: it says what has changed, tells whom you choose, and sends a webhook."
        >
          <ButtonTo to="/automations/new">Make the first automation</ButtonTo>
        </EmptyState>
      )}
      {automations && automations.length > 0 && (
        <Stack component="ul" gap="sm" p={0} m={0} aria-label="Automations">
          {automations.map((automation) => (
            <AutomationCard key={automation.id} automation={automation} />
          ))}
        </Stack>
      )}
      {automations && automations.length > 0 && (
        <LoadMore {...more} shown={pluralize(automations.length, "automation")} />
      )}
    </>
  );
}

const Loading = () => (
  <Stack gap="sm" role="status" aria-label="Loading">
    {[1, 2, 3].map((row) => (
      <Skeleton key={row} height={104} />
    ))}
  </Stack>
);
