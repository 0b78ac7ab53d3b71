import { Alert, Button, Group, Loader, Text } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { useEffect, useState } from "react";
import { showFailure } from "../errors/error-notice.tsx";
import { formatNumber } from "../format/pluralize.ts";
import { useConnection } from "../frame/connection.ts";
import { useSession } from "../session/me.ts";
import type { RunFailure, WatchedRun } from "./use-run.ts";

/** The progress of a run, with a button to cancel it, or its failure. */
export function RunProgress({ watched }: { watched: WatchedRun }) {
  const { run, isUnfinished } = watched;
  if (isUnfinished) return <Unfinished watched={watched} />;
  return run?.failure ? <FailedRun failure={run.failure} /> : null;
}

/** Why a run failed, and where in its statement. */
export function FailedRun({ failure: { message, position, code } }: { failure: RunFailure }) {
  const place = position ? `\nLine ${position.line}, column ${position.column}.` : "";
  if (code === "cancelled")
    return (
      <Text role="status" c="dimmed" size="sm">
        The run was cancelled.
      </Text>
    );
  return (
    <Alert role="alert" color="red" variant="light" icon={<IconAlertTriangle />} title="The run failed">
      <Text size="sm" style={{ whiteSpace: "pre-wrap" }}>
        {message}
        {place}
      </Text>
    </Alert>
  );
}

function Unfinished({ watched: { run, cancel } }: { watched: WatchedRun }) {
  const seconds = useSeconds();
  const { isMember } = useSession();
  const [isCancelling, setCancelling] = useState(false);
  const isRunning = run?.status === "running";
  const asked = isCancelling || (run?.cancelRequestedAt ?? null) !== null;
  const isConnected = useConnection() === "connected";
  const state = asked ? "Cancelling" : isRunning ? "Running" : "Waiting for a worker";
  const onCancel = async () => {
    setCancelling(true);
    try {
      await cancel();
    } catch (error) {
      setCancelling(false);
      showFailure("Not cancelled", error);
    }
  };
  return (
    <Group gap="sm" wrap="nowrap">
      <Loader size="xs" aria-hidden />
      <Text size="sm">
        <span role="status">{isConnected ? state : "Waiting for the connection: the run goes on"}…</span>
        {isRunning && ` ${progressOf(run)}`} {seconds} s
      </Text>
      {isMember && (
        <Button size="compact-sm" variant="default" disabled={asked} onClick={() => void onCancel()}>
          Cancel
        </Button>
      )}
    </Group>
  );
}

/** The known figures of the progress, each followed by a comma. */
function progressOf({ progressRows, engineProgress }: NonNullable<WatchedRun["run"]>): string {
  const parts = [
    engineProgress && `${engineProgress.state.toLowerCase()},`,
    engineProgress &&
      engineProgress.totalSplits > 0 &&
      `${formatNumber(engineProgress.completedSplits)} of ${formatNumber(engineProgress.totalSplits)} splits,`,
    engineProgress && engineProgress.rowsRead > 0 && `${formatNumber(engineProgress.rowsRead)} rows read,`,
    progressRows > 0 && `${formatNumber(progressRows)} rows,`,
  ];
  return parts.filter(Boolean).join(" ");
}

/** Counts from when the page first saw the run, because the server's clock may differ. */
export function useSeconds(): number {
  const [start] = useState(() => Date.now());
  const [now, setNow] = useState(start);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 500);
    return () => clearInterval(timer);
  }, []);
  return Math.floor((now - start) / 1000);
}
