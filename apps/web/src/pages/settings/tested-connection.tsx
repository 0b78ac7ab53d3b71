import { Text } from "@mantine/core";
import { toFailure } from "../../errors/failure.ts";
import classes from "./tested-connection.module.css";

interface TestedConnectionProps {
  test: { data?: { version: string; warnings: string[] } | undefined; error: unknown; isPending: boolean };
}

/** The result of a connection test: the server's version and warnings, or the failure and what to do. */
export const TestedConnection = ({ test }: TestedConnectionProps) => (
  <div role="status" className={classes.outcome}>
    {test.data && !test.isPending && (
      <>
        <Text size="sm" className={classes.good ?? ""}>
          It works: {test.data.version} answered.
        </Text>
        {test.data.warnings.map((warning) => (
          <Text key={warning} size="sm" className={classes.risky ?? ""}>
            {warning}
          </Text>
        ))}
      </>
    )}
    {test.error !== null && !test.isPending && (
      <Text size="sm" className={classes.bad ?? ""}>
        {toFailure(test.error).message}
      </Text>
    )}
  </div>
);
