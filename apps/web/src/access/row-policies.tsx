import { Button, Group, Skeleton, Stack, TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import type { Outputs } from "@querybell/client";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api, queryClient, trpc } from "../api.ts";
import { ErrorNotice } from "../errors/error-notice.tsx";
import { Section } from "../ui/section.tsx";

type Policies = Outputs["access"]["rowPolicies"];

/** The tables whose queries must filter by who runs them. For admins. */
export function RowPoliciesSection({ databaseId }: { databaseId: string }) {
  const { data, error, refetch } = useQuery(
    trpc.access.rowPolicies.queryOptions({ databaseId }, { gcTime: 0 }),
  );
  return (
    <Section
      title="Row policies"
      description="Every query that names the table (its name alone, without schema and quotes) must use the placeholder, which is filled in with who runs it: user_email, user_groups or user_attribute_… for an attribute of members."
    >
      {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton height={80} />}
      {data && <PoliciesForm databaseId={databaseId} saved={data} />}
    </Section>
  );
}

function PoliciesForm({ databaseId, saved }: { databaseId: string; saved: Policies }) {
  const [policies, setPolicies] = useState<Policies>(saved);
  const save = useMutation({
    mutationFn: async () => {
      await api.access.setRowPolicies.mutate({ databaseId, policies });
      await queryClient.invalidateQueries(trpc.access.pathFilter());
      notifications.show({ message: "Saved. Queries without the placeholder are refused from now on." });
    },
  });
  const change = (at: number, changed: Partial<Policies[number]>) =>
    setPolicies(policies.map((one, index) => (index === at ? { ...one, ...changed } : one)));
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (!save.isPending) save.mutate();
      }}
    >
      <Stack gap="xs" mb="md">
        {policies.map(({ table, placeholder }, at) => (
          <Group key={at} align="flex-end" gap="xs">
            <TextInput
              label={`Table ${at + 1}`}
              value={table}
              onChange={({ currentTarget }) => change(at, { table: currentTarget.value })}
            />
            <TextInput
              label={`Placeholder ${at + 1}`}
              value={placeholder}
              onChange={({ currentTarget }) => change(at, { placeholder: currentTarget.value })}
            />
            <Button
              variant="default"
              aria-label={`Remove policy ${at + 1}`}
              onClick={() => setPolicies(policies.filter((_, index) => index !== at))}
            >
              Remove
            </Button>
          </Group>
        ))}
      </Stack>
      {save.error && <ErrorNotice error={save.error} />}
      <Group>
        <Button
          variant="default"
          onClick={() => setPolicies([...policies, { table: "", placeholder: "user_email" }])}
        >
          Add a policy
        </Button>
        <Button type="submit" aria-disabled={save.isPending}>
          Save the policies
        </Button>
      </Group>
    </form>
  );
}
