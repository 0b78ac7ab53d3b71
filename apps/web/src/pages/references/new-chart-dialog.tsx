import { Button, Group, Select, Text } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { trpc } from "../../api.ts";
import { ErrorNotice } from "../../errors/error-notice.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { ButtonTo } from "../../ui/links.tsx";

/** Chooses the query of a new chart, then opens its chart builder. */
export function NewChartDialog({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate();
  const [text, setText] = useState("");
  const [queryId, setQueryId] = useState<string | null>(null);
  const [asked] = useDebouncedValue(text.trim(), 150);
  const found = useQuery(
    trpc.library.list.queryOptions(
      { kind: "query", limit: 50, ...(asked !== "" && { search: asked }) },
      { placeholderData: keepPreviousData },
    ),
  );
  const queries = found.data?.items ?? [];
  const isEmpty = found.data !== undefined && queries.length === 0 && asked === "";
  return (
    <Dialog onClose={onClose} title="New chart">
      {isEmpty ? (
        <Text mb="md">A chart shows the result of a query, and there is no query yet.</Text>
      ) : (
        <Select
          label="Query"
          description="The chart shows its result. Search by words of its name, description or SQL."
          placeholder="Choose a query"
          data={queries.map(({ id, title }) => ({ value: id, label: title }))}
          // The api has searched already, in more than the titles.
          filter={({ options }) => options}
          value={queryId}
          onChange={setQueryId}
          onSearchChange={setText}
          nothingFoundMessage={found.isFetching ? "Searching…" : "No query has these words"}
          searchable
          data-autofocus
        />
      )}
      {found.error && <ErrorNotice error={found.error} />}
      <Group justify="flex-end" mt="lg" gap="xs">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        {isEmpty ? (
          <ButtonTo to="/queries/new">Write a query</ButtonTo>
        ) : (
          <Button
            aria-disabled={queryId === null}
            onClick={() => {
              if (queryId !== null) void navigate({ to: "/charts/new", search: { query: queryId } });
            }}
          >
            Make the chart
          </Button>
        )}
      </Group>
    </Dialog>
  );
}
