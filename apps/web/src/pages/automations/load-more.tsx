import { Button } from "@mantine/core";

interface LoadMoreProps {
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  fetchNextPage: () => unknown;
}

/** The way to the next page of a list; nothing on the last. */
export const LoadMore = ({ hasNextPage, isFetchingNextPage, fetchNextPage }: LoadMoreProps) =>
  hasNextPage && (
    <Button
      variant="default"
      mt="md"
      aria-disabled={isFetchingNextPage}
      onClick={() => {
        if (!isFetchingNextPage) void fetchNextPage();
      }}
    >
      {isFetchingNextPage ? "Loading…" : "Show more"}
    </Button>
  );
