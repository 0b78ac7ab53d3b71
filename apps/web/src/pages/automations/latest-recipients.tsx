import { List, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { trpc } from "../../api.ts";
import { pluralize } from "../../format/pluralize.ts";
import { refusalTexts } from "./recipient-labels.ts";

const maxListed = 10;

/** Who got rows of the latest run, and who got nothing. Nothing if the run has sent none, as when its condition is not met. */
export function LatestRecipients({ runId }: { runId: string }) {
  const { data } = useQuery(trpc.automationRuns.recipients.queryOptions({ id: runId }));
  if (!data) return null;
  const { told, leftOut, leftOutCount, emptyCount } = data;
  return (
    <Text size="sm" c="dimmed" component="div">
      The latest run: {pluralize(told.length, "message")}
      {leftOutCount > 0 && `, ${pluralize(leftOutCount, "recipient")} left out`}
      {emptyCount > 0 && `, ${pluralize(emptyCount, "row")} without a recipient`}.
      {leftOut.length > 0 && (
        <List size="sm" aria-label="Recipients left out">
          {leftOut.slice(0, maxListed).map(({ recipient, refusal }) => (
            <List.Item key={recipient}>
              {recipient}: {refusalTexts[refusal]}
            </List.Item>
          ))}
        </List>
      )}
    </Text>
  );
}
