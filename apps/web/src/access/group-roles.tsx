import { Button, Group, NativeSelect, Skeleton, Stack, TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import type { Outputs } from "@querybell/client";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api, queryClient, trpc } from "../api.ts";
import { ErrorNotice } from "../errors/error-notice.tsx";
import { Section } from "../ui/section.tsx";

type Roles = Outputs["access"]["groupRoles"];

/** The roles of a Postgres as which groups run queries. For admins. */
export function GroupRolesSection({ databaseId }: { databaseId: string }) {
  const roles = useQuery(trpc.access.groupRoles.queryOptions({ databaseId }, { gcTime: 0 }));
  const groups = useQuery(trpc.groups.list.queryOptions());
  const error = roles.error ?? groups.error;
  return (
    <Section
      title="Roles of groups"
      description="Queries run as the role of the first of these groups that the person is in, so that the row security of this server applies. Whoever is in none of them runs nothing. Without roles, queries run as the user of the connection."
    >
      {error && <ErrorNotice error={error} />}
      {!error && !(roles.data && groups.data) && <Skeleton height={80} />}
      {roles.data && groups.data && (
        <RolesForm databaseId={databaseId} saved={roles.data} groups={groups.data} />
      )}
    </Section>
  );
}

interface RolesFormProps {
  databaseId: string;
  saved: Roles;
  groups: Outputs["groups"]["list"];
}

function RolesForm({ databaseId, saved, groups }: RolesFormProps) {
  const [roles, setRoles] = useState<Roles>(saved);
  const [first] = groups;
  const save = useMutation({
    mutationFn: async () => {
      await api.access.setGroupRoles.mutate({ databaseId, roles });
      await queryClient.invalidateQueries(trpc.access.pathFilter());
      notifications.show({ message: "Saved. New runs have the roles." });
    },
  });
  const change = (at: number, changed: Partial<Roles[number]>) =>
    setRoles(roles.map((one, index) => (index === at ? { ...one, ...changed } : one)));
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (!save.isPending) save.mutate();
      }}
    >
      <Stack gap="xs" mb="md">
        {roles.map(({ groupId, role }, at) => (
          <Group key={at} align="flex-end" gap="xs">
            <NativeSelect
              label={`Group ${at + 1}`}
              data={groups.map(({ id, name }) => ({ value: id, label: name }))}
              value={groupId}
              onChange={({ currentTarget }) => change(at, { groupId: currentTarget.value })}
            />
            <TextInput
              label={`Role ${at + 1}`}
              value={role}
              onChange={({ currentTarget }) => change(at, { role: currentTarget.value })}
            />
            <Button
              variant="default"
              aria-label={`Remove role ${at + 1}`}
              onClick={() => setRoles(roles.filter((_, index) => index !== at))}
            >
              Remove
            </Button>
          </Group>
        ))}
      </Stack>
      {save.error && <ErrorNotice error={save.error} />}
      <Group>
        {first && (
          <Button variant="default" onClick={() => setRoles([...roles, { groupId: first.id, role: "" }])}>
            Add a role
          </Button>
        )}
        <Button type="submit" aria-disabled={save.isPending}>
          Save the roles
        </Button>
      </Group>
    </form>
  );
}
