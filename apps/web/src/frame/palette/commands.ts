import { useMantineColorScheme } from "@mantine/core";
import { type LinkProps, useRouter } from "@tanstack/react-router";
import { useSession } from "../../session/me.ts";
import { signOutAndReload, switchOrganization } from "../../session/session-changes.ts";
import { showShortcuts } from "../../shortcuts/shortcuts-help.tsx";
import { isShownTo, navigation, settingsPages } from "../navigation.ts";

export interface Command {
  label: string;
  group: "Pages" | "Commands";
  /** Further search words. */
  keywords?: string;
  run: () => unknown;
}

/** A link to a page of this app. */
interface Entry {
  label: string;
  to: NonNullable<LinkProps["to"]>;
  keywords?: string;
  adminOnly?: boolean;
  /** Hidden from viewers, who write nothing. */
  memberOnly?: boolean;
  deploymentOnly?: boolean;
}

/** Further search words for the pages of the settings. */
const settingsKeywords: Record<(typeof settingsPages)[number]["to"], string> = {
  "/settings/organization": "name REST compatibility sunset result lifetime retention",
  "/settings/members": "people users roles invitations invite",
  "/settings/groups": "teams people rights",
  "/settings/access": "rights permissions folders groups who sees",
  "/settings/public-links": "publish share anybody anonymous pages",
  "/settings/embedding": "embed frame iframe token portal customers application",
  "/settings/sign-in":
    "second factor password passkey single sign-on SSO OIDC SCIM provisioning domain security",
  "/settings/keys": "token scopes program service account",
  "/settings/agents": "MCP programs Claude Cursor ChatGPT VS Code connect calls",
  "/settings/databases": "connection Postgres DuckDB",
  "/settings/model": "language model AI agent tokens budget consent",
  "/settings/destinations": "Slack Teams Discord mail channel messages",
  "/settings/webhooks": "endpoints events secrets",
  "/settings/audit": "history who changed export",
  "/settings/export": "everything file download backup delete erase",
};

const pages: Entry[] = [
  ...navigation,
  ...settingsPages.map(({ label, to }) => ({
    label: `Settings: ${label}`,
    to,
    keywords: settingsKeywords[to],
    adminOnly: true,
  })),
  {
    label: "Settings: Webhook deliveries",
    to: "/settings/webhooks/deliveries",
    keywords: "log attempts failed resend",
    adminOnly: true,
  },
  {
    label: "Settings: Subscriptions to events",
    to: "/settings/webhooks/subscriptions",
    keywords: "MCP agents programs webhooks",
    adminOnly: true,
  },
  {
    label: "Settings: Types of events",
    to: "/settings/webhooks/events",
    keywords: "webhooks catalogue schema JSON",
    adminOnly: true,
  },
  { label: "Drafts", to: "/queries/drafts", keywords: "unsaved queries SQL", memberOnly: true },
  { label: "Notifications", to: "/notifications", keywords: "bell inbox" },
  { label: "Your account", to: "/account", keywords: "profile password name" },
  { label: "Notification settings", to: "/account/notifications", keywords: "mail preferences" },
];

/** The pages on which something is created. */
const createPages: Entry[] = [
  { label: "New query", to: "/queries/new", keywords: "create write SQL", memberOnly: true },
  { label: "Upload a file", to: "/uploads", keywords: "import CSV JSON Parquet table", memberOnly: true },
  { label: "New automation", to: "/automations/new", keywords: "create schedule digest", memberOnly: true },
  {
    label: "New webhook endpoint",
    to: "/settings/webhooks/new",
    keywords: "create add",
    adminOnly: true,
  },
  {
    label: "Add a destination",
    to: "/settings/destinations/new",
    keywords: "new Slack Teams Discord mail channel",
    adminOnly: true,
  },
  { label: "Add a database", to: "/settings/databases/new", keywords: "new connect", adminOnly: true },
  { label: "Create an organization", to: "/organizations/new", keywords: "team new" },
];

const schemes = [
  { scheme: "auto", label: "Use the system’s colours" },
  { scheme: "light", label: "Switch to light" },
  { scheme: "dark", label: "Switch to dark" },
] as const;

/** The commands of the palette that need no search in the api. */
export function useCommands(): Command[] {
  const router = useRouter();
  const session = useSession();
  const { memberships, organizationId } = session;
  const { setColorScheme } = useMantineColorScheme();
  const commandsFor = (group: Command["group"], entries: Entry[]) =>
    entries
      .filter((entry) => isShownTo(entry, session))
      .map(
        ({ label, to, keywords }): Command => ({
          label,
          group,
          run: () => router.navigate({ to }),
          ...(keywords !== undefined && { keywords }),
        }),
      );
  const switches = memberships
    .filter((one) => one.organizationId !== organizationId)
    .map(
      ({ name, organizationId: id }): Command => ({
        label: `Switch to ${name}`,
        group: "Commands",
        keywords: "organization team",
        run: () => switchOrganization(id),
      }),
    );
  return [
    ...commandsFor("Pages", pages),
    // The docs are static pages outside of this app.
    { label: "Docs", group: "Pages", keywords: "help manual", run: () => location.assign("/docs/") },
    ...commandsFor("Commands", createPages),
    ...switches,
    ...schemes.map(
      ({ scheme, label }): Command => ({
        label,
        group: "Commands",
        keywords: "use colours theme scheme mode",
        run: () => setColorScheme(scheme),
      }),
    ),
    {
      label: "Show the keyboard shortcuts",
      group: "Commands",
      keywords: "keys help",
      run: showShortcuts,
    },
    { label: "Sign out", group: "Commands", keywords: "log out leave", run: signOutAndReload },
  ];
}
