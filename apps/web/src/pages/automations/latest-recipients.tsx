import { List, Text } from "@mantine/core";
import type { Outputs } from "@querybell/client";
import { useQuery } from "@tanstack/react-query";
import { trpc } from "../../api.ts";
import { ErrorNotice } from "../../errors/error-notice.tsx";
import { pluralize } from "../../format/pluralize.ts";
import { useMe } from "../../session/me.ts";
import { AnchorTo } from "../../ui/links.tsx";
import { refusalTexts } from "./recipient-labels.ts";

type RunRecipients = NonNullable<Outputs["automationRuns"]["recipients"]>;

const maxListed = 10;

/** Who got rows of the latest run, and who got nothing. Nothing if the run has sent none, as when its condition is not met. */
export function LatestRecipients({ runId }: { runId: string }) {
  const { data, error, refetch } = useQuery(trpc.automationRuns.recipients.queryOptions({ id: runId }));
  if (error && !data) return <ErrorNotice error={error} onRetry={refetch} />;
  if (!data) return null;
  const { told, leftOut, leftOutCount, emptyCount } = data;
  return (
    <Text size="sm" c="dimmed" component="div">
      The latest run: {pluralize(told.length, "message")}
      {leftOutCount > 0 && `, ${pluralize(leftOutCount, "recipient")} left out`}
      {emptyCount > 0 && `, ${pluralize(emptyCount, "row")} without a recipient`}.
      {told.length > 0 && (
        <List size="sm" aria-label="Recipients told">
          {told.slice(0, maxListed).map((one) => (
            <List.Item key={one.eventId}>
              <Told {...one} />
            </List.Item>
          ))}
          <More count={told.length} />
        </List>
      )}
      {leftOut.length > 0 && (
        <List size="sm" aria-label="Recipients left out">
          {leftOut.slice(0, maxListed).map(({ recipient, refusal }) => (
            <List.Item key={recipient}>
              {recipient}: {refusalTexts[refusal]}
            </List.Item>
          ))}
          <More count={leftOutCount} />
        </List>
      )}
    </Text>
  );
}

/** Admins see whether the message has arrived. */
function Told({ recipient, rowCount, eventId }: RunRecipients["told"][number]) {
  const { isAdmin } = useMe();
  const rows = pluralize(rowCount, "row");
  return (
    <>
      {recipient}:{" "}
      {isAdmin ? (
        <AnchorTo
          to="/settings/webhooks/deliveries"
          search={{ eventId }}
          aria-label={`${rows} for ${recipient}`}
        >
          {rows}
        </AnchorTo>
      ) : (
        rows
      )}
    </>
  );
}

const More = ({ count }: { count: number }) =>
  count > maxListed && <List.Item>and {count - maxListed} more</List.Item>;
