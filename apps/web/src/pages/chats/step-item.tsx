import { Box, Group, Loader, Paper, Skeleton, Table, Text, Title } from "@mantine/core";
import { isNumeric } from "@querybell/charts/chart-data";
import { CheckedSummary, type FieldType, ResultPreview } from "@querybell/domain";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { trpc } from "../../api.ts";
import { LazyChart } from "../../charts/lazy-chart.tsx";
import { formatNumber } from "../../format/pluralize.ts";
import { durationText } from "../../format/times.ts";
import { cellText } from "../../results/cell-text.ts";
import { CodeBlock } from "../../ui/copyable.tsx";
import { AnchorTo } from "../../ui/links.tsx";
import { Scrollable } from "../../ui/scrollable.tsx";
import { CheckedSentences } from "./checked-text.tsx";
import { describeStep, textIn } from "./describe-step.ts";
import { useShownRows } from "./shown-rows.tsx";
import classes from "./step-item.module.css";
import type { Step } from "./use-live-chat.ts";

/** One step of a chat: a message, or a tool call with its result. */
export function StepItem({ step }: { step: Step }) {
  const { title, text, icon: Icon } = describeStep(step);
  const preview = readPreview(step.output);
  const summary = step.tool === "write_summary" ? readCheckedSummary(step.output) : undefined;
  const sql = step.tool === "run_sql" ? textIn(step.input, "sql") : undefined;
  // SQL that the model wrote runs on the database of a reference, and does not show that reference.
  const shortId = sql === undefined ? textIn(step.input, "shortId") : undefined;
  const marked = useShownRows(step.name);
  return (
    <Paper component="li" withBorder p="md" className={classes.step} data-state={step.state}>
      <Group gap="xs" wrap="nowrap" align="flex-start">
        <Icon size={18} className={classes.icon} aria-hidden="true" />
        <Title order={3} size="h6" className={classes.title}>
          {title}
        </Title>
        {step.state === "running" && <Loader size="xs" mt={3} role="img" aria-label="Running" />}
        {step.tool !== null && step.endedAt && (
          <Text size="xs" c="dimmed" mt={2}>
            {durationText(Date.parse(step.endedAt) - Date.parse(step.createdAt))}
          </Text>
        )}
      </Group>
      {text !== "" && (
        <Text mt={4} className={classes.text} {...(step.state === "failed" && { c: "var(--qb-bad)" })}>
          {text}
        </Text>
      )}
      {sql !== undefined && (
        <Box mt="xs">
          <CodeBlock code={sql} what="the SQL of the model" wraps />
        </Box>
      )}
      {summary && <CheckedSentences sentences={summary.checkedSentences} />}
      {preview && <StepResult preview={preview} shortId={shortId} marked={marked} />}
    </Paper>
  );
}

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
function StepResult({ preview, shortId, marked }: StepResultProps) {
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
      {drawn && <LazyChart visualization={drawn} rows={preview} label={title} height={height} />}
      {!reference.isLoading && !drawn && <PreviewTable preview={preview} marked={marked} />}
      <Text component="figcaption" size="sm" c="dimmed" mt={4}>
        {!isComplete && `The first ${rows.length} of ${formatNumber(rowCount)} rows. `}
        {shortId && (
          <AnchorTo to="/q/$shortId" params={{ shortId }}>
            Open the chart
          </AnchorTo>
        )}
      </Text>
    </figure>
  );
}

interface PreviewTableProps {
  preview: ResultPreview;
  /** Row numbers, counted from 1, to mark and to scroll to. */
  marked?: readonly number[] | undefined;
}

/** The first rows of a result. */
function PreviewTable({ preview: { fields, rows }, marked }: PreviewTableProps) {
  const first = useRef<HTMLTableRowElement>(null);
  useEffect(() => {
    if (marked) first.current?.scrollIntoView({ block: "center" });
  }, [marked]);
  const firstMarked = marked?.find((number) => number <= rows.length);
  const columns = fields.map(({ name, type }, index) => ({ name, type, index, align: alignOf(type) }));
  return (
    <Scrollable className={classes.scroll} label="Rows of the result">
      <Table withRowBorders stickyHeader striped="even" verticalSpacing={4}>
        <Table.Thead>
          <Table.Tr>
            {columns.map(({ name, index, align }) => (
              <Table.Th key={index} ta={align}>
                {name}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row, number) => (
            <Table.Tr
              key={number}
              ref={number + 1 === firstMarked ? first : null}
              {...(marked?.includes(number + 1) && { className: classes.marked, "aria-current": true })}
            >
              {columns.map(({ type, index, align }) => (
                <Table.Td key={index} ta={align} className={canBreak(type) ? undefined : classes.unbroken}>
                  {cellText(row[index], type)}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Scrollable>
  );
}

const alignOf = (type: FieldType): "left" | "right" => (isNumeric(type) ? "right" : "left");

const canBreak = (type: FieldType): boolean => ["string", "json", "binary"].includes(type);

/** Parses a step's output as a result preview. Undefined if it is not one: external agents may write any JSON. */
function readPreview(output: unknown): ResultPreview | undefined {
  const { data } = ResultPreview.safeParse(output);
  return data && data.fields.length > 0 ? data : undefined;
}

/** Parses a step's output as a checked summary. Undefined if it is not one. */
export const readCheckedSummary = (output: unknown): CheckedSummary | undefined =>
  CheckedSummary.safeParse(output).data;
