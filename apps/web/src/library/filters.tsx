import { ActionIcon, Group, Select, TextInput, Tooltip } from "@mantine/core";
import { IconSearch, IconSortAscending, IconSortDescending } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { trpc } from "../api.ts";
import { useAddressText } from "../ui/time-range-fields.tsx";
import classes from "./library.module.css";
import { type ListSearch, orderOf, readListSearch, type Sort, sorts } from "./list-search.ts";

interface FiltersProps {
  /** What the search looks into: "Search names, descriptions and SQL". */
  searchLabel: string;
  search: ListSearch;
  onChange: (changed: ListSearch) => void;
}

/** The search, the filters and the order of a list. All of them are in the address. */
export function Filters({ searchLabel, search, onChange }: FiltersProps) {
  const members = useQuery(trpc.members.list.queryOptions());
  const databases = useQuery(trpc.databases.list.queryOptions());
  const set = (changed: { [Name in keyof ListSearch]: ListSearch[Name] | undefined }) =>
    onChange(readListSearch({ ...search, ...changed }));
  const [text, setText] = useAddressText(search.search ?? "", (typed) => set({ search: typed }));
  const { sort = "updated" } = search;
  const isAscending = orderOf(search) === "ascending";
  return (
    <Group mb="md" gap="sm">
      <TextInput
        aria-label={searchLabel}
        placeholder={searchLabel}
        leftSection={<IconSearch size={16} />}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        className={classes.search ?? ""}
      />
      <Select
        aria-label="Created by"
        placeholder="Anybody"
        data={members.data?.map(({ userId, name }) => ({ value: userId, label: name })) ?? []}
        value={search.createdBy ?? null}
        onChange={(value) => set({ createdBy: value ?? undefined })}
        clearable
        searchable
        className={classes.filter ?? ""}
      />
      <Select
        aria-label="Database"
        placeholder="All databases"
        data={databases.data?.map(({ id, name }) => ({ value: id, label: name })) ?? []}
        value={search.database ?? null}
        onChange={(value) => set({ database: value ?? undefined })}
        clearable
        className={classes.filter ?? ""}
      />
      <Group gap={4} wrap="nowrap">
        <Select
          aria-label="Sort by"
          data={Object.entries(sorts).map(([value, { label }]) => ({ value, label }))}
          value={sort}
          allowDeselect={false}
          onChange={(value) => set({ sort: (value ?? "updated") as Sort, reversed: undefined })}
          className={classes.filter ?? ""}
        />
        <Tooltip label={isAscending ? "Ascending" : "Descending"}>
          <ActionIcon
            variant="default"
            size={36}
            aria-label={`Order: ${isAscending ? "ascending" : "descending"}`}
            onClick={() => set({ reversed: search.reversed ? undefined : true })}
          >
            {isAscending ? <IconSortAscending size={16} /> : <IconSortDescending size={16} />}
          </ActionIcon>
        </Tooltip>
      </Group>
    </Group>
  );
}
