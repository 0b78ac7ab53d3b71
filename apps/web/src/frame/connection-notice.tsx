import { Alert } from "@mantine/core";
import { IconPlugConnectedX } from "@tabler/icons-react";
import { useEffect, useRef } from "react";
import { queryClient } from "../api.ts";
import { useConnection } from "./connection.ts";

/** Shows that the api does not answer. When it answers again, refetches all data. */
export function ConnectionNotice() {
  const connection = useConnection();
  const before = useRef(connection);
  useEffect(() => {
    if (before.current === "lost" && connection === "connected") void queryClient.invalidateQueries();
    before.current = connection;
  }, [connection]);
  return (
    <div role="status">
      {connection === "lost" && (
        <Alert color="red" mb="md" icon={<IconPlugConnectedX />} title="The connection is lost">
          What you see may be out of date. This page keeps trying, and updates when the server answers.
        </Alert>
      )}
    </div>
  );
}
