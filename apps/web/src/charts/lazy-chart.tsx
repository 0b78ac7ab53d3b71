import { Skeleton } from "@mantine/core";
import { type ComponentProps, lazy, Suspense } from "react";

const Chart = lazy(async () => ({ default: (await import("./chart.tsx")).Chart }));

/** A chart on a page that is read before it is drawn: the library comes on its own, its place is kept. */
export const LazyChart = (props: ComponentProps<typeof Chart> & { height: number }) => (
  <Suspense fallback={<Skeleton height={props.height} />}>
    <Chart {...props} />
  </Suspense>
);
