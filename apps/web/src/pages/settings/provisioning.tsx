import { Button, Group, Stack, Text } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api, queryClient, trpc } from "../../api.ts";
import { showFailure } from "../../errors/error-notice.tsx";
import { CodeBlock, ShownOnce } from "../../ui/copyable.tsx";
import { Section } from "../../ui/section.tsx";
import { Timestamp } from "../../ui/timestamp.tsx";

const refresh = () => queryClient.invalidateQueries(trpc.singleSignOn.provisioning.queryFilter());
const onError = (error: unknown) => showFailure("Not changed", error);

/** The token with which a provider sends people and groups. */
export function Provisioning() {
  const { data: state } = useQuery(trpc.singleSignOn.provisioning.queryOptions());
  const [text, setText] = useState<string>();
  const create = useMutation({
    mutationFn: () => api.singleSignOn.createScimToken.mutate(),
    onSuccess: async (created) => {
      setText(created.text);
      await refresh();
    },
    onError,
  });
  const remove = useMutation({
    mutationFn: () => api.singleSignOn.deleteScimToken.mutate(),
    onSuccess: async () => {
      setText(undefined);
      await refresh();
    },
    onError,
  });
  return (
    <Section
      title="Provisioning (SCIM 2.0)"
      description="Your provider creates, changes and disables people and groups here. Whoever it disables loses access at once, with their API keys."
    >
      {text !== undefined && (
        <ShownOnce title="The token for your provider" value={text} what="the token">
          It is shown only now.
        </ShownOnce>
      )}
      {state?.token && (
        <Stack gap={4} mb="md">
          <Text size="sm">The base URL:</Text>
          <CodeBlock code={state.token.url} what="the base URL" />
          <Text size="sm">
            Token of <Timestamp at={state.token.createdAt} format="date" />,{" "}
            {state.token.lastUsedAt ? (
              <>
                last used <Timestamp at={state.token.lastUsedAt} format="relative" />
              </>
            ) : (
              "not used yet"
            )}
            . People so far: {state.users}.
          </Text>
        </Stack>
      )}
      <Group gap="xs">
        <Button variant="default" onClick={() => create.mutate()}>
          {state?.token ? "Replace the token" : "Create a token"}
        </Button>
        {state?.token && (
          <Button variant="default" onClick={() => remove.mutate()}>
            Delete the token
          </Button>
        )}
      </Group>
    </Section>
  );
}
