import { Skeleton } from "@mantine/core";
import { type ComponentProps, Suspense } from "react";
import { lazyPart } from "../ui/lazy-part.tsx";

const Chart = lazyPart(async () => (await import("./chart.tsx")).Chart);

/** A chart whose library is loaded after the page's text is painted. A skeleton reserves its space. */
export const LazyChart = (props: ComponentProps<typeof Chart> & { height: number }) => (
  <Suspense fallback={<Skeleton height={props.height} />}>
    <Chart {...props} />
  </Suspense>
);
