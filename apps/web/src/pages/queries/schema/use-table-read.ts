import { useQuery, useQueryClient } from "@tanstack/react-query";

interface TableRead<Data> {
  queryKey: readonly unknown[];
  read: (options: { signal: AbortSignal }) => Promise<Data>;
}

/** A person who opens a table twice within this time sees what was read before. */
const staleTime = 300_000;

/** Reads from the database of a query, in a way that can be cancelled and started again. */
export function useTableRead<Data>({ queryKey, read }: TableRead<Data>) {
  const queries = useQueryClient();
  const { data, error, isFetching, refetch } = useQuery({
    queryKey,
    queryFn: ({ signal }) => read({ signal }),
    staleTime,
    retry: false,
    refetchOnWindowFocus: false,
  });
  return {
    data,
    error: isFetching ? null : error,
    isReading: isFetching && !data,
    read: () => void refetch(),
    cancel: () => void queries.cancelQueries({ queryKey, exact: true }),
  };
}
