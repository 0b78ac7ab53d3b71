import { ActionIcon, AppShell, Burger, Group, ScrollArea } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconBook } from "@tabler/icons-react";
import { Outlet, useRouterState } from "@tanstack/react-router";
import { useEffect } from "react";
import { Bell } from "../notifications/bell.tsx";
import { useSession } from "../session/me.ts";
import { NoOrganization } from "../session/no-organization.tsx";
import { SessionEnded } from "../session/session-ended.tsx";
import { Brand } from "./brand.tsx";
import { ConnectionNotice } from "./connection-notice.tsx";
import { OrganizationMenu } from "./organization-menu.tsx";
import { PaletteButton } from "./palette/palette-button.tsx";
import classes from "./shell.module.css";
import { Sidebar } from "./sidebar.tsx";
import { SkipLink } from "./skip-link.tsx";
import { useFocusOnNavigation } from "./use-focus-on-navigation.ts";
import { UserMenu } from "./user-menu.tsx";

/** The frame of every page with a session: header and sidebar. At phone width a button opens the sidebar. */
export function Shell() {
  const { organization } = useSession();
  const [isOpen, sidebar] = useDisclosure();
  const path = useRouterState({ select: (state) => state.location.pathname });
  const main = useFocusOnNavigation(path);
  // Navigation closes the sidebar.
  useEffect(sidebar.close, [path]);

  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 232, breakpoint: "sm", collapsed: { mobile: !isOpen } }}
      padding={{ base: "md", sm: "xl" }}
    >
      <SkipLink />
      <AppShell.Header className={classes.header}>
        <Group gap="xs" wrap="nowrap">
          <Burger
            opened={isOpen}
            onClick={sidebar.toggle}
            hiddenFrom="sm"
            size="sm"
            aria-label={isOpen ? "Close the menu" : "Open the menu"}
            aria-expanded={isOpen}
            aria-controls="sidebar"
          />
          <Brand />
        </Group>
        <Group gap="xs" wrap="nowrap">
          <PaletteButton />
          <ActionIcon component="a" href="/docs/" variant="subtle" size="lg" aria-label="Docs">
            <IconBook size={20} stroke={1.7} />
          </ActionIcon>
          <Bell />
          <UserMenu />
        </Group>
      </AppShell.Header>
      <AppShell.Navbar id="sidebar" className={classes.navbar} aria-label="Main">
        <AppShell.Section>
          <OrganizationMenu />
        </AppShell.Section>
        <AppShell.Section grow component={ScrollArea}>
          <Sidebar />
        </AppShell.Section>
      </AppShell.Navbar>
      <AppShell.Main id="page" tabIndex={-1} ref={main} className={classes.main}>
        <ConnectionNotice />
        {organization ? <Outlet /> : <NoOrganization />}
      </AppShell.Main>
      <SessionEnded />
    </AppShell>
  );
}
