import { Progress, Text } from "@mantine/core";
import type { Outputs } from "@querybell/client";

type Shop = NonNullable<Outputs["sampleShop"]["find"]>;

const steps = [
  "writing two years of orders",
  "adding queries, charts and an automation",
  "running the queries",
];

/** How far the sample shop is created or removed. */
export function SampleShopProgress({ shop: { state, stepsDone } }: { shop: Shop }) {
  if (state === "removing") {
    return <Text role="status">The sample shop is being removed…</Text>;
  }
  return (
    <>
      <Text role="status" mb="xs">
        Creating the sample shop: {steps[stepsDone] ?? steps.at(-1)}…
      </Text>
      <Progress
        value={(100 * (stepsDone + 0.5)) / steps.length}
        animated
        aria-label="Creating the sample shop"
      />
    </>
  );
}
