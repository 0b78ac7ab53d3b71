import { Group, Paper, Text, Title, VisuallyHidden } from "@mantine/core";
import type { Outputs } from "@querybell/client";
import {
  IconChartLine,
  IconFileTypeSql,
  IconFolder,
  IconLayoutDashboard,
  IconRobot,
} from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { trpc } from "../../api.ts";
import {
  automationHref,
  dashboardHref,
  folderHref,
  queryHref,
  referenceHref,
} from "../../format/addresses.ts";
import { HrefLink } from "../../ui/links.tsx";
import { Timestamp } from "../../ui/timestamp.tsx";
import classes from "./home.module.css";

type RecentItem = Outputs["home"]["overview"]["recent"][number];
type ListedItem = Pick<Outputs["library"]["favourites"][number], "kind" | "id" | "shortId" | "title">;

const kinds = {
  query: { Icon: IconFileTypeSql, word: "Query" },
  reference: { Icon: IconChartLine, word: "Chart" },
  automation: { Icon: IconRobot, word: "Automation" },
  dashboard: { Icon: IconLayoutDashboard, word: "Dashboard" },
  folder: { Icon: IconFolder, word: "Folder" },
};

function hrefOf({ kind, id, shortId }: ListedItem): string {
  if (kind === "reference" && shortId !== null) return referenceHref(shortId);
  if (kind === "folder") return folderHref(id);
  if (kind === "dashboard") return dashboardHref(id);
  return kind === "automation" ? automationHref(id) : queryHref(id);
}

const shownFavourites = 12;

/** The user's favourites. Without any, nothing is shown: lists and pages have the stars. */
export function Favourites() {
  const { data = [] } = useQuery(trpc.library.favourites.queryOptions());
  if (data.length === 0) return null;
  return (
    <ItemSection id="favourites" title="Favourites">
      {data.slice(0, shownFavourites).map((item) => (
        <ItemLine key={item.id} item={item} />
      ))}
    </ItemSection>
  );
}

/** What the user opened last. */
export const RecentItems = ({ items }: { items: RecentItem[] }) => (
  <ItemSection id="recent" title="Recent" ifEmpty={items.length === 0 && "What you open is listed here."}>
    {items.map((item) => (
      <ItemLine key={item.id} item={item}>
        <Text size="xs" c="dimmed" className={classes.when ?? ""}>
          <Timestamp at={item.openedAt} format="relative" />
        </Text>
      </ItemLine>
    ))}
  </ItemSection>
);

interface ItemSectionProps {
  id: string;
  title: string;
  ifEmpty?: string | false;
  children: ReactNode;
}

const ItemSection = ({ id, title, ifEmpty, children }: ItemSectionProps) => (
  <Paper withBorder p="lg" mb="lg" component="section" aria-labelledby={id}>
    <Title order={2} size="h4" mb="xs" id={id}>
      {title}
    </Title>
    {ifEmpty && (
      <Text c="dimmed" size="sm">
        {ifEmpty}
      </Text>
    )}
    <ul className={classes.list}>{children}</ul>
  </Paper>
);

function ItemLine({ item, children }: { item: ListedItem; children?: ReactNode }) {
  const { Icon, word } = kinds[item.kind];
  return (
    <li>
      <Group gap="xs" wrap="nowrap" justify="space-between">
        <Group gap="xs" wrap="nowrap" miw={0}>
          <Icon size={16} stroke={1.7} aria-hidden className={classes.icon} />
          <VisuallyHidden>{word}: </VisuallyHidden>
          <HrefLink href={hrefOf(item)} lineClamp={1}>
            {item.title}
          </HrefLink>
        </Group>
        {children}
      </Group>
    </li>
  );
}
