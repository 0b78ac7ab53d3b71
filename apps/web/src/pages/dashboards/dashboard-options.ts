import { trpc } from "../../api.ts";
import type { ValueTexts } from "../../parameters/parameter-values.ts";

/** A dashboard with these values of its filters. */
export const dashboardOptions = (id: string, values: ValueTexts) =>
  trpc.dashboards.get.queryOptions({
    id,
    ...(Object.keys(values).length > 0 && { filterValues: { ...values } }),
  });
