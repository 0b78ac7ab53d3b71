import { Group, Paper, Text, Title, VisuallyHidden } from "@mantine/core";
import type { Outputs } from "@querybell/client";
import { IconChartLine, IconFileTypeSql, IconRobot } from "@tabler/icons-react";
import { automationHref, queryHref, referenceHref } from "../../format/addresses.ts";
import { HrefLink } from "../../ui/links.tsx";
import { Timestamp } from "../../ui/timestamp.tsx";
import classes from "./home.module.css";

type RecentItem = Outputs["home"]["overview"]["recent"][number];

const kinds = {
  query: { Icon: IconFileTypeSql, word: "Query" },
  reference: { Icon: IconChartLine, word: "Chart" },
  automation: { Icon: IconRobot, word: "Automation" },
};

function hrefOf({ kind, id, shortId }: RecentItem): string {
  if (kind === "reference" && shortId !== null) return referenceHref(shortId);
  return kind === "automation" ? automationHref(id) : queryHref(id);
}

/** What the user opened last. */
export const RecentItems = ({ items }: { items: RecentItem[] }) => (
  <Paper withBorder p="lg" mb="lg" component="section" aria-labelledby="recent">
    <Title order={2} size="h4" mb="xs" id="recent">
      Recent
    </Title>
    {items.length === 0 && (
      <Text c="dimmed" size="sm">
        What you open is listed here.
      </Text>
    )}
    <ul className={classes.list}>
      {items.map((item) => {
        const { Icon, word } = kinds[item.kind];
        return (
          <li key={item.id}>
            <Group gap="xs" wrap="nowrap" justify="space-between">
              <Group gap="xs" wrap="nowrap" miw={0}>
                <Icon size={16} stroke={1.7} aria-hidden className={classes.icon} />
                <VisuallyHidden>{word}: </VisuallyHidden>
                <HrefLink href={hrefOf(item)} lineClamp={1}>
                  {item.title}
                </HrefLink>
              </Group>
              <Text size="xs" c="dimmed" className={classes.when ?? ""}>
                <Timestamp at={item.openedAt} format="relative" />
              </Text>
            </Group>
          </li>
        );
      })}
    </ul>
  </Paper>
);
