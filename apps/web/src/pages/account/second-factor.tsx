import { Alert, Button, Group, Skeleton, Text } from "@mantine/core";
import type { Outputs } from "@querybell/client";
import { IconAlertTriangle } from "@tabler/icons-react";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api, queryClient, trpc } from "../../api.ts";
import { ErrorNotice, showFailure } from "../../errors/error-notice.tsx";
import { useRefreshMe } from "../../session/me.ts";
import { hasPasskeys } from "../../session/passkeys.ts";
import { CodeBlock } from "../../ui/copyable.tsx";
import { Item, ItemList } from "../../ui/item-list.tsx";
import { Section } from "../../ui/section.tsx";
import { Timestamp } from "../../ui/timestamp.tsx";
import { SetUpPasskey, SetUpTotp } from "./set-up-factor.tsx";

type Factors = Outputs["secondFactor"]["get"];
type SetUp = { kind: "totp" } | { kind: "passkey" } | { kind: "codes"; codes: string[] };

/** The second factors of the account: codes of an app, passkeys, recovery codes. */
export function SecondFactor() {
  const { data: factors, error, refetch } = useQuery(trpc.secondFactor.get.queryOptions());
  const [setUp, setSetUp] = useState<SetUp>();
  const refreshMe = useRefreshMe();
  const finish = async (codes: string[]) => {
    setSetUp(codes.length > 0 ? { kind: "codes", codes } : undefined);
    await queryClient.invalidateQueries(trpc.secondFactor.pathFilter());
    await queryClient.invalidateQueries(trpc.sessions.pathFilter());
    await refreshMe();
  };
  return (
    <Section
      title="Second factor"
      description="Somebody who has learned your password cannot sign in without it. A passkey also signs you in without the password."
    >
      {error && !factors && <ErrorNotice error={error} onRetry={refetch} />}
      {!factors && !error && <Skeleton height={80} />}
      {factors?.reset && <PlannedReset reset={factors.reset} />}
      {setUp?.kind === "codes" && <RecoveryCodes codes={setUp.codes} onClose={() => setSetUp(undefined)} />}
      {factors && <FactorList factors={factors} onCodes={finish} />}
      {factors && setUp?.kind === "totp" && (
        <SetUpTotp asksForPassword={factors.asksForPassword} onFinish={finish} />
      )}
      {factors && setUp?.kind === "passkey" && (
        <SetUpPasskey asksForPassword={factors.asksForPassword} onFinish={finish} />
      )}
      {factors && (setUp === undefined || setUp.kind === "codes") && (
        <Group mt="md" gap="xs">
          {factors.canUsePasskeys && hasPasskeys() && (
            <Button variant="default" onClick={() => setSetUp({ kind: "passkey" })}>
              Add a passkey
            </Button>
          )}
          {factors.totpSince === null && (
            <Button variant="default" onClick={() => setSetUp({ kind: "totp" })}>
              Set up codes of an app
            </Button>
          )}
        </Group>
      )}
    </Section>
  );
}

function PlannedReset({ reset }: { reset: NonNullable<Factors["reset"]> }) {
  const refreshMe = useRefreshMe();
  const cancel = useMutation({
    mutationFn: () => api.secondFactor.cancelReset.mutate(),
    onSuccess: async () => {
      await queryClient.invalidateQueries(trpc.secondFactor.pathFilter());
      await refreshMe();
    },
    onError: (error) => showFailure("Not cancelled", error),
  });
  return (
    <Alert color="amber" icon={<IconAlertTriangle />} mb="md" title="Your second factor will be removed">
      {reset.requestedBy} has asked for it. It happens at your first sign-in after{" "}
      <Timestamp at={reset.effectiveAt} />.
      <Group mt="sm">
        <Button size="xs" variant="default" onClick={() => cancel.mutate()}>
          Keep my second factor
        </Button>
      </Group>
    </Alert>
  );
}

const RecoveryCodes = ({ codes, onClose }: { codes: string[]; onClose: () => void }) => (
  <Alert color="amber" mb="md" title="Your recovery codes" role="status">
    <Text size="sm" mb="xs">
      Each replaces your second factor once, if you lose it. Keep them where you keep your passwords: they are
      shown only now.
    </Text>
    <CodeBlock code={codes.join("\n")} what="the recovery codes" />
    <Button size="xs" variant="default" mt="sm" onClick={onClose}>
      I have stored them
    </Button>
  </Alert>
);

interface FactorListProps {
  factors: Factors;
  onCodes: (codes: string[]) => Promise<void>;
}

function FactorList({ factors, onCodes }: FactorListProps) {
  const onError = (error: unknown) => showFailure("Not changed", error);
  const removeTotp = useMutation({
    mutationFn: () => api.secondFactor.removeTotp.mutate(),
    onSuccess: () => onCodes([]),
    onError,
  });
  const removePasskey = useMutation({
    mutationFn: (id: string) => api.secondFactor.removePasskey.mutate({ id }),
    onSuccess: () => onCodes([]),
    onError,
  });
  const renewCodes = useMutation({
    mutationFn: () => api.secondFactor.renewRecoveryCodes.mutate(),
    onSuccess: ({ codes }) => onCodes(codes),
    onError,
  });
  const { totpSince, passkeys, recoveryCodesLeft } = factors;
  if (totpSince === null && passkeys.length === 0) {
    return <Text>You have no second factor. Your password alone signs you in.</Text>;
  }
  return (
    <ItemList label="Second factors">
      {totpSince !== null && (
        <Item
          title="Codes of an app"
          actions={
            <Button
              variant="default"
              size="xs"
              aria-label="Remove the codes of an app"
              onClick={() => removeTotp.mutate()}
            >
              Remove
            </Button>
          }
        >
          <span>
            Since <Timestamp at={totpSince} format="date" />
          </span>
        </Item>
      )}
      {passkeys.map(({ id, name, createdAt, lastUsedAt }) => (
        <Item
          key={id}
          title={name}
          actions={
            <Button
              variant="default"
              size="xs"
              aria-label={`Remove the passkey ${name}`}
              onClick={() => removePasskey.mutate(id)}
            >
              Remove
            </Button>
          }
        >
          <span>
            Passkey since <Timestamp at={createdAt} format="date" />
          </span>
          <span>
            {lastUsedAt ? (
              <>
                Used <Timestamp at={lastUsedAt} format="relative" />
              </>
            ) : (
              "Not used yet"
            )}
          </span>
        </Item>
      ))}
      <Item
        title="Recovery codes"
        actions={
          <Button variant="default" size="xs" onClick={() => renewCodes.mutate()}>
            Make new ones
          </Button>
        }
      >
        <span>{recoveryCodesLeft} left</span>
      </Item>
    </ItemList>
  );
}
