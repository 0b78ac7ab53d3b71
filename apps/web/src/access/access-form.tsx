import { Button, Group, NativeSelect, Radio, Select, Skeleton, Stack, Text } from "@mantine/core";
import type { Outputs } from "@querybell/client";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { trpc } from "../api.ts";
import { ErrorNotice } from "../errors/error-notice.tsx";
import { Item, ItemList } from "../ui/item-list.tsx";

type Grants<Level extends string> = { grantee: Grantee; level: Level }[];
type Grantee = NonNullable<Outputs["access"]["getFolder"]["grants"]>[number]["grantee"];

interface AccessFormProps<Level extends string> {
  /** Null: no rights of its own. */
  grants: Grants<Level> | null;
  /** What applies without rights of its own. */
  withoutOwn: string;
  levels: readonly { value: Level; label: string }[];
  onSave: (grants: Grants<Level> | null) => Promise<unknown>;
}

/** Chooses who has which right. Nothing changes before it is saved. */
export function AccessForm<Level extends string>({
  grants: saved,
  withoutOwn,
  levels,
  onSave,
}: AccessFormProps<Level>) {
  const [grants, setGrants] = useState<Grants<Level>>(saved ?? []);
  const [hasOwn, setHasOwn] = useState(saved !== null);
  const names = useGranteeNames();
  const save = useMutation({ mutationFn: () => onSave(hasOwn ? grants : null) });
  if (names.error) return <ErrorNotice error={names.error} />;
  const known = names.data;
  if (!known) return <Skeleton height={180} />;
  const chosen = new Set(grants.map(({ grantee }) => keyOf(grantee)));
  const [lowest] = levels;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (!save.isPending) save.mutate();
      }}
    >
      <Radio.Group
        label="Who has access"
        value={hasOwn ? "own" : "other"}
        onChange={(value) => setHasOwn(value === "own")}
        mb="md"
      >
        <Stack gap="xs" mt={4}>
          <Radio value="other" label={withoutOwn} />
          <Radio value="own" label="Only those chosen here, admins and owners" />
        </Stack>
      </Radio.Group>
      {hasOwn && (
        <>
          {grants.length === 0 && (
            <Text size="sm" mb="sm">
              Nobody is chosen: only admins and owners have access.
            </Text>
          )}
          {grants.length > 0 && (
            <ItemList label="Who has access">
              {grants.map(({ grantee, level }) => {
                const name = known.get(keyOf(grantee)) ?? "Somebody who has left";
                const others = grants.filter((one) => one.grantee !== grantee);
                return (
                  <Item
                    key={keyOf(grantee)}
                    title={name}
                    actions={
                      <>
                        <NativeSelect
                          size="xs"
                          aria-label={`Right of ${name}`}
                          data={[...levels]}
                          value={level}
                          onChange={({ currentTarget: { value } }) =>
                            setGrants(
                              grants.map((one) =>
                                one.grantee === grantee
                                  ? {
                                      grantee,
                                      level: levels.find((one) => one.value === value)?.value ?? level,
                                    }
                                  : one,
                              ),
                            )
                          }
                        />
                        <Button
                          variant="default"
                          size="xs"
                          aria-label={`Remove ${name}`}
                          onClick={() => setGrants(others)}
                        >
                          Remove
                        </Button>
                      </>
                    }
                  />
                );
              })}
            </ItemList>
          )}
          <Select
            label="Give access to"
            placeholder="Everybody, a group or a person"
            searchable
            limit={50}
            nothingFoundMessage="No group or person has this name"
            value={null}
            data={[...known].filter(([key]) => !chosen.has(key)).map(([value, label]) => ({ value, label }))}
            onChange={(key) => {
              if (key !== null && lowest)
                setGrants([...grants, { grantee: granteeOf(key), level: lowest.value }]);
            }}
            my="md"
            maw="28rem"
          />
        </>
      )}
      {save.error && <ErrorNotice error={save.error} />}
      <Group justify="flex-end">
        <Button type="submit" aria-disabled={save.isPending}>
          Save the access
        </Button>
      </Group>
    </form>
  );
}

const keyOf = (grantee: Grantee): string =>
  grantee.kind === "group"
    ? `group ${grantee.groupId}`
    : grantee.kind === "person"
      ? `person ${grantee.userId}`
      : "everybody";

function granteeOf(key: string): Grantee {
  const [kind, id = ""] = key.split(" ");
  if (kind === "group") return { kind, groupId: id };
  return kind === "person" ? { kind, userId: id } : { kind: "everybody" };
}

/** The names of all who can have a right, by their keys. */
function useGranteeNames(): { data: Map<string, string> | undefined; error: unknown } {
  const groups = useQuery(trpc.groups.list.queryOptions());
  const members = useQuery(trpc.members.list.queryOptions());
  const data =
    groups.data && members.data
      ? new Map([
          ["everybody", "Everybody"],
          ...groups.data.map(({ id, name }) => [`group ${id}`, `${name} (group)`] as const),
          ...members.data.map(
            ({ userId, name, email }) => [`person ${userId}`, `${name} (${email})`] as const,
          ),
        ])
      : undefined;
  return { data, error: groups.error ?? members.error };
}
