import { Skeleton } from "@mantine/core";
import { type ComponentProps, lazy, Suspense } from "react";

const Chart = lazy(async () => ({ default: (await import("./chart.tsx")).Chart }));

/** A chart whose library is loaded after the page's text is painted. A skeleton reserves its space. */
export const LazyChart = (props: ComponentProps<typeof Chart> & { height: number }) => (
  <Suspense fallback={<Skeleton height={props.height} />}>
    <Chart {...props} />
  </Suspense>
);
