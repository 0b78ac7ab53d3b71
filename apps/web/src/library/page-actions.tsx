import { Badge, Group } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { trpc } from "../api.ts";
import { FavouriteButton } from "./favourite-button.tsx";
import { ItemMenu } from "./item-menu.tsx";
import type { ItemKind } from "./items.ts";

const listAddresses = { query: "/queries", reference: "/charts", automation: "/automations" } as const;

interface PageActionsProps {
  kind: ItemKind;
  id: string;
  title: string;
  /** Entries of the page itself in the menu. */
  children?: ReactNode;
}

/** The star and the menu on the page of an item. The rest of the page does not wait for them. */
export function PageActions({ kind, id, title, children }: PageActionsProps) {
  const router = useRouter();
  const { data } = useQuery(trpc.library.get.queryOptions({ kind, id }));
  const { isFavourite = false, folderId = null } = data ?? {};
  const isArchived = data !== undefined && "isArchived" in data && data.isArchived;
  return (
    <Group gap={4} wrap="nowrap">
      {isArchived && (
        <Badge variant="default" tt="none" fw={500}>
          Archived
        </Badge>
      )}
      <FavouriteButton item={{ kind, id, title, isFavourite }} />
      <ItemMenu
        item={{ kind, id, title, folderId, isArchived }}
        size={36}
        label="More"
        onDeleted={() => router.navigate({ to: listAddresses[kind] })}
      >
        {children}
      </ItemMenu>
    </Group>
  );
}
