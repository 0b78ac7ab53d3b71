import { ActionIcon, Alert, Burger, Button, Group } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconBook, IconPlugConnectedX, IconWifiOff } from "@tabler/icons-react";
import { Link, Outlet, useRouterState } from "@tanstack/react-router";
import { Suspense, useEffect } from "react";
import { api, queryClient } from "../api.ts";
import { RestoredUndo } from "../library/restored-undo.ts";
import { Bell } from "../notifications/bell.tsx";
import { NoOrganization } from "../pages/account/create-organization.tsx";
import { BlockedOrganization } from "../session/blocked-organization.tsx";
import { useIsConfirming } from "../session/confirmation.ts";
import { FactorResetNotice, FailedSignInsNotice } from "../session/failed-sign-ins.tsx";
import { useSession } from "../session/me.ts";
import { SessionEnded } from "../session/session-ended.tsx";
import { ShortcutsHelp } from "../shortcuts/shortcuts-help.tsx";
import { lazyPart } from "../ui/lazy-part.tsx";
import { useConnection, useOnReconnect, watchNetwork } from "./connection.ts";
import { OrganizationMenu, UserMenu } from "./menus.tsx";
import { isShownTo, navigation } from "./navigation.ts";
import { PaletteButton } from "./palette/palette-button.tsx";
import { Brand, SkipLink, useFocusOnNavigation } from "./public-frame.tsx";
import classes from "./shell.module.css";

/** The frame of every page with a session: header and sidebar. At phone width a button opens the sidebar. */
export function Shell() {
  const { organization } = useSession();
  const [isOpen, sidebar] = useDisclosure();
  const path = useRouterState({ select: (state) => state.location.pathname });
  const isBare = useRouterState({ select: ({ matches }) => matches.at(-1)?.staticData.isBare ?? false });
  const main = useFocusOnNavigation(path);
  // Navigation closes the sidebar.
  useEffect(sidebar.close, [path]);

  return (
    <>
      <SkipLink />
      {!isBare && (
        <>
          <header className={classes.header}>
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
          </header>
          <nav id="sidebar" className={classes.navbar} aria-label="Main" data-open={isOpen || undefined}>
            <OrganizationMenu />
            <div className={classes.entries}>
              <Sidebar />
            </div>
          </nav>
        </>
      )}
      <main id="page" tabIndex={-1} ref={main} className={classes.main} data-bare={isBare || undefined}>
        <ConnectionNotice />
        <SeesAs />
        <FailedSignInsNotice />
        <FactorResetNotice />
        <Page />
      </main>
      <SessionEnded />
      <Confirmation />
      <ShortcutsHelp />
      {organization && <RestoredUndo />}
    </>
  );
}

/**
 * The page or, for a person who belongs to no organization or whose session does not open it, what is missing. Their
 * account and the page Operations open always, and stay open, with what they show, when the session opens the organization
 * meanwhile.
 */
function Page() {
  const { organization, blocked } = useSession();
  // The page that is shown, and not one that is still loading.
  const shown = useRouterState({ select: ({ matches }) => matches.at(-1)?.fullPath });
  if (organization || shown === "/account" || shown === "/operations") return <Outlet />;
  return blocked ? <BlockedOrganization blocked={blocked} /> : <NoOrganization />;
}

const ConfirmDialog = lazyPart(async () => (await import("../session/confirm-dialog.tsx")).ConfirmDialog);

function Confirmation() {
  const isConfirming = useIsConfirming();
  return <Suspense>{isConfirming && <ConfirmDialog />}</Suspense>;
}

/** Says that an admin sees the organization as somebody else, and ends that. */
function SeesAs() {
  const { seesAs } = useSession();
  if (!seesAs) return null;
  const stop = async () => {
    await api.me.stopSeeingAs.mutate();
    location.assign("/");
  };
  return (
    <Alert color="amber" mb="md" title={`You see the organization as ${seesAs.name}`}>
      <Group justify="space-between">
        <span>Nothing of the organization can be changed meanwhile. Queries run as theirs.</span>
        <Button size="xs" variant="default" onClick={() => void stop()}>
          Stop seeing as {seesAs.name}
        </Button>
      </Group>
    </Alert>
  );
}

function Sidebar() {
  const session = useSession();
  return navigation
    .filter((entry) => isShownTo(entry, session))
    .map(({ label, to, icon: Icon, exact = false }) => (
      <Link
        key={label}
        to={to}
        activeOptions={{ exact }}
        activeProps={{ "aria-current": "page" }}
        className={classes.entry ?? ""}
      >
        <Icon size={18} stroke={1.7} />
        {label}
      </Link>
    ));
}

/** Says that the user is offline, or that the api does not answer. When it answers again, refetches all data. */
function ConnectionNotice() {
  const connection = useConnection();
  useOnReconnect(() => void queryClient.invalidateQueries());
  useEffect(watchNetwork, []);
  return (
    <div role="status" className={classes.notice}>
      {connection === "offline" && (
        <Alert color="red" mb="md" icon={<IconWifiOff />} title="You are offline">
          What you see may be out of date, and what you typed stays here. Saving and running need the server:
          do it again when this message is gone.
        </Alert>
      )}
      {connection === "lost" && (
        <Alert color="red" mb="md" icon={<IconPlugConnectedX />} title="The connection is lost">
          What you see may be out of date. This page keeps trying, and updates when the server answers.
        </Alert>
      )}
    </div>
  );
}
