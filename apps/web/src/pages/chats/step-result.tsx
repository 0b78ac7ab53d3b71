import { Skeleton, Text } from "@mantine/core";
import type { ResultPreview } from "@querybell/domain";
import { useQuery } from "@tanstack/react-query";
import { Suspense } from "react";
import { trpc } from "../../api.ts";
import { formatNumber } from "../../format/pluralize.ts";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { AnchorTo } from "../../ui/links.tsx";
import { PreviewTable } from "./preview-table.tsx";
import classes from "./step-result.module.css";

const Chart = lazyPart(async () => (await import("../../charts/chart.tsx")).Chart);

interface StepResultProps {
  preview: ResultPreview;
  /** Of the reference that was run. */
  shortId: string | undefined;
  /** Row numbers to mark. The result is then shown as a table. */
  marked: readonly number[] | undefined;
}

const height = 280;

/**
 * The result of a step as the chart of its reference. As a table if the reference has no chart or is deleted, or if the
 * preview has only a part of the rows.
 */
export function StepResult({ preview, shortId, marked }: StepResultProps) {
  const { rows, rowCount } = preview;
  const isComplete = rows.length === rowCount;
  const reference = useQuery(
    trpc.references.get.queryOptions(
      { shortId: shortId ?? "" },
      { enabled: shortId !== undefined && isComplete },
    ),
  );
  const { visualization, title = "The result" } = reference.data ?? {};
  const drawn = !marked && isComplete && visualization?.type !== "table" ? visualization : undefined;
  return (
    <figure className={classes.result}>
      {reference.isLoading && <Skeleton height={height} />}
      {drawn && (
        <Suspense fallback={<Skeleton height={height} />}>
          <Chart visualization={drawn} rows={preview} label={title} height={height} />
        </Suspense>
      )}
      {!reference.isLoading && !drawn && <PreviewTable preview={preview} marked={marked} />}
      <Text component="figcaption" size="sm" c="dimmed" mt={4}>
        {!isComplete && `The first ${rows.length} of ${formatNumber(rowCount)} rows. `}
        {shortId && (
          <AnchorTo to="/q/$shortId" params={{ shortId }}>
            Open the reference
          </AnchorTo>
        )}
      </Text>
    </figure>
  );
}
