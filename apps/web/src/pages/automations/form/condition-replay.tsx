import { Button, Group, List, Text } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import type { Outputs } from "@querybell/client";
import { useMutation } from "@tanstack/react-query";
import { api } from "../../../api.ts";
import { ErrorNotice } from "../../../errors/error-notice.tsx";
import { toFailure, toFormFailure } from "../../../errors/failure.ts";
import { formatNumber, pluralize } from "../../../format/pluralize.ts";
import { showAtFields } from "../../../ui/action-form.tsx";
import { Timestamp } from "../../../ui/timestamp.tsx";
import classes from "./condition-replay.module.css";
import { toConditionField } from "./condition-values.ts";
import { type AutomationValues, inputOf } from "./form-values.ts";

type Replay = Outputs["automations"]["replayCondition"];
type Point = Replay["points"][number];

/** Tries the condition on the past results of its chart: when it would have spoken, and how often. */
export function ConditionReplay({ form }: { form: UseFormReturnType<AutomationValues> }) {
  const replay = useMutation({
    mutationFn: async (values: AutomationValues) => {
      const { condition, references } = await inputOf(values);
      if (!condition) throw new Error("There is no condition to try.");
      const chart = references.find(({ shortId }) => shortId === condition.shortId);
      const { parameterValues = {} } = chart ?? {};
      return api.automations.replayCondition
        .mutate({ condition, parameterValues })
        .catch((error: unknown) => {
          throw toFormFailure(error, toConditionField);
        });
    },
    onError: (error) => showAtFields(form, toFailure(error).fields),
  });
  const tryNow = () => {
    if (form.values.condition.shortId === "") form.validateField("condition.shortId");
    else if (!replay.isPending) replay.mutate(form.values);
  };
  return (
    <div aria-live="polite">
      <Group>
        <Button variant="default" size="compact-sm" onClick={tryNow}>
          {replay.isPending ? "Trying it…" : "Try it on the past"}
        </Button>
      </Group>
      {replay.error && <ErrorNotice error={replay.error} />}
      {replay.data && <Replayed replay={replay.data} />}
    </div>
  );
}

const maxListed = 20;
const toldWords = { met: "It is met", again: "It is told again", resolved: "It is resolved" };

function Replayed({ replay: { points, metPerMonth, isCut } }: { replay: Replay }) {
  const told = points.filter((point) => point.told !== null).reverse();
  if (points.length === 0) {
    return (
      <Text size="sm" mt="xs">
        Nothing is kept of this chart with these values yet, so there is no past to try it on.
      </Text>
    );
  }
  const often =
    metPerMonth === null
      ? "The results are of less than a day, so nothing can be said about a month."
      : `That is about ${formatNumber(Number(metPerMonth.toPrecision(2)))} times a month.`;
  return (
    <>
      <Text size="sm" mt="xs">
        With the {pluralize(points.length, "result")} of the past{isCut && " (older ones are left out)"} it
        would have spoken {pluralize(told.length, "time")}. {often}
      </Text>
      <ReplayDrawing points={points} />
      <List size="sm" aria-label="When it would have spoken">
        {told.slice(0, maxListed).map(({ at, told: kind }) => (
          <List.Item key={at}>
            <Timestamp at={at} />: {kind && toldWords[kind]}
          </List.Item>
        ))}
      </List>
      {told.length > maxListed && (
        <Text size="sm" c="dimmed">
          The latest {maxListed} are listed.
        </Text>
      )}
    </>
  );
}

const [width, height, margin] = [600, 120, 8];

/** The figure over time, with a mark where it would have spoken. A list below says the same in words. */
function ReplayDrawing({ points }: { points: Point[] }) {
  const values = points.flatMap(({ value }) => value ?? []);
  const [first, last] = [points[0], points.at(-1)];
  if (values.length < 2 || !first || !last) return null;
  const [from, until] = [Date.parse(first.at), Date.parse(last.at)];
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const scale = (share: number, size: number) => margin + share * (size - 2 * margin);
  const x = ({ at }: Point) => scale((Date.parse(at) - from) / (until - from || 1), width);
  const y = (value: number) => scale(1 - (value - low) / (high - low || 1), height);
  const drawn = points.flatMap((point) => (point.value === null ? [] : [{ ...point, value: point.value }]));
  return (
    <svg
      viewBox={`0 0 ${width} ${height}`}
      className={classes.drawing}
      role="img"
      aria-label="The figure over time"
    >
      <polyline
        className={classes.line}
        points={drawn.map((point) => `${x(point)},${y(point.value)}`).join(" ")}
      />
      {drawn.map((point) =>
        point.told === null ? null : (
          <circle
            key={point.at}
            className={classes.mark}
            data-told={point.told}
            cx={x(point)}
            cy={y(point.value)}
            r={4}
          />
        ),
      )}
    </svg>
  );
}
