import { Button, Group, NativeSelect, Skeleton, Stack, TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { api, queryClient, trpc } from "../api.ts";
import { ErrorNotice } from "../errors/error-notice.tsx";
import { Section } from "../ui/section.tsx";

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
      {data && (
        <RowsForm
          words={{ one: "policy", many: "policies" }}
          saved={data}
          added={{ table: "", placeholder: "user_email" }}
          onSave={async (policies) => {
            await api.access.setRowPolicies.mutate({ databaseId, policies });
            return "Saved. Queries without the placeholder are refused from now on.";
          }}
        >
          {({ table, placeholder }, number, change) => (
            <>
              <TextInput
                label={`Table ${number}`}
                value={table}
                onChange={({ currentTarget }) => change({ table: currentTarget.value })}
              />
              <TextInput
                label={`Placeholder ${number}`}
                value={placeholder}
                onChange={({ currentTarget }) => change({ placeholder: currentTarget.value })}
              />
            </>
          )}
        </RowsForm>
      )}
    </Section>
  );
}

/** The roles of a Postgres as which groups run queries. For admins. */
export function GroupRolesSection({ databaseId }: { databaseId: string }) {
  const roles = useQuery(trpc.access.groupRoles.queryOptions({ databaseId }, { gcTime: 0 }));
  const groups = useQuery(trpc.groups.list.queryOptions());
  const error = roles.error ?? groups.error;
  const [first] = groups.data ?? [];
  return (
    <Section
      title="Roles of groups"
      description="Queries run as the role of the first of these groups that the person is in, so that the row security of this server applies. Whoever is in none of them runs nothing. Without roles, queries run as the user of the connection."
    >
      {error && <ErrorNotice error={error} />}
      {!error && !(roles.data && groups.data) && <Skeleton height={80} />}
      {roles.data && groups.data && (
        <RowsForm
          words={{ one: "role", many: "roles" }}
          saved={roles.data}
          added={first && { groupId: first.id, role: "" }}
          onSave={async (changed) => {
            await api.access.setGroupRoles.mutate({ databaseId, roles: changed });
            return "Saved. New runs have the roles.";
          }}
        >
          {({ groupId, role }, number, change) => (
            <>
              <NativeSelect
                label={`Group ${number}`}
                data={groups.data.map(({ id, name }) => ({ value: id, label: name }))}
                value={groupId}
                onChange={({ currentTarget }) => change({ groupId: currentTarget.value })}
              />
              <TextInput
                label={`Role ${number}`}
                value={role}
                onChange={({ currentTarget }) => change({ role: currentTarget.value })}
              />
            </>
          )}
        </RowsForm>
      )}
    </Section>
  );
}

interface RowsFormProps<Row> {
  words: { one: string; many: string };
  saved: Row[];
  /** Undefined: none can be added. */
  added: Row | undefined;
  /** Returns what is said when they are saved. */
  onSave: (rows: Row[]) => Promise<string>;
  /** The fields of a row. */
  children: (row: Row, number: number, change: (changed: Partial<Row>) => void) => ReactNode;
}

/** Rows of fields that are saved together. */
function RowsForm<Row extends object>({ words, saved, added, onSave, children }: RowsFormProps<Row>) {
  const [rows, setRows] = useState(saved);
  const save = useMutation({
    mutationFn: async () => {
      const message = await onSave(rows);
      await queryClient.invalidateQueries(trpc.access.pathFilter());
      notifications.show({ message });
    },
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (!save.isPending) save.mutate();
      }}
    >
      <Stack gap="xs" mb="md">
        {rows.map((row, at) => (
          <Group key={at} align="flex-end" gap="xs">
            {children(row, at + 1, (changed) =>
              setRows(rows.map((one, index) => (index === at ? { ...one, ...changed } : one))),
            )}
            <Button
              variant="default"
              aria-label={`Remove ${words.one} ${at + 1}`}
              onClick={() => setRows(rows.filter((_, index) => index !== at))}
            >
              Remove
            </Button>
          </Group>
        ))}
      </Stack>
      {save.error && <ErrorNotice error={save.error} />}
      <Group>
        {added && (
          <Button variant="default" onClick={() => setRows([...rows, added])}>
            Add a {words.one}
          </Button>
        )}
        <Button type="submit" aria-disabled={save.isPending}>
          Save the {words.many}
        </Button>
      </Group>
    </form>
  );
}
