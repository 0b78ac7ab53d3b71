import { Button, Group, Text } from "@mantine/core";

interface LoadMoreProps {
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  fetchNextPage: () => unknown;
  /** The number of items shown: "40 deliveries". */
  shown: string;
}

/** The end of a paged list: the number of items and a button for the next page. */
export const LoadMore = ({ hasNextPage, isFetchingNextPage, fetchNextPage, shown }: LoadMoreProps) => (
  <Group justify="space-between" mt="sm">
    <Text size="sm" c="dimmed" role="status">
      {hasNextPage ? `The newest ${shown}.` : `${shown} in all.`}
    </Text>
    {hasNextPage && (
      <Button variant="default" size="sm" aria-disabled={isFetchingNextPage} onClick={() => fetchNextPage()}>
        {isFetchingNextPage ? "Loading…" : "Load older ones"}
      </Button>
    )}
  </Group>
);
