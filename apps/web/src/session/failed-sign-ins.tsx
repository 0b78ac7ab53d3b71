import { Alert, Button, Group } from "@mantine/core";
import { IconShieldExclamation } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { api } from "../api.ts";
import { showFailure } from "../errors/error-notice.tsx";
import { pluralize } from "../format/pluralize.ts";
import { ButtonTo } from "../ui/links.tsx";
import { Timestamp } from "../ui/timestamp.tsx";
import { useRefreshMe, useSession } from "./me.ts";

/** Says that an admin has asked to remove the second factor: the person can cancel it in their account. */
export function FactorResetNotice() {
  const { factorResetAt } = useSession();
  if (factorResetAt === null) return null;
  return (
    <Alert color="amber" mb="md" icon={<IconShieldExclamation />} title="Your second factor will be removed">
      An admin has asked for it. It happens at your first sign-in after <Timestamp at={factorResetAt} />.
      <Group mt="sm">
        <ButtonTo to="/account" size="xs" variant="default">
          Keep it, or see more
        </ButtonTo>
      </Group>
    </Alert>
  );
}

/** Tells the person about failed attempts to sign in to their account, until they dismiss it. */
export function FailedSignInsNotice() {
  const { failedSignIns } = useSession();
  const refreshMe = useRefreshMe();
  const dismiss = useMutation({
    mutationFn: (lastAt: string) => api.me.dismissFailedSignIns.mutate({ lastAt }),
    onSuccess: refreshMe,
    onError: (error) => showFailure("Not dismissed", error),
  });
  if (!failedSignIns) return null;
  const { count, lastAt, lastProgram, lastAddress, hasSecondFactor } = failedSignIns;
  return (
    <Alert
      color="amber"
      mb="md"
      icon={<IconShieldExclamation />}
      title={`${pluralize(count, "failed attempt")} to sign in as you`}
    >
      The last one was <Timestamp at={lastAt} format="relative" />, from {lastAddress ?? "an unknown address"}{" "}
      with {lastProgram}. If it was not you, change your password
      {!hasSecondFactor && ", and set up a second factor"}.
      <Group mt="sm" gap="xs">
        <ButtonTo to="/account" size="xs" variant="default">
          Open your account
        </ButtonTo>
        <Button size="xs" variant="default" onClick={() => dismiss.mutate(lastAt)}>
          Dismiss
        </Button>
      </Group>
    </Alert>
  );
}
