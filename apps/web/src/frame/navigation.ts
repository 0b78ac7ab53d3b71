import {
  IconChartLine,
  IconFileTypeSql,
  IconFileUpload,
  IconHeartbeat,
  IconHome,
  IconLayoutDashboard,
  IconRobot,
  IconSettings,
} from "@tabler/icons-react";
import type { LinkProps } from "@tanstack/react-router";
import type { ComponentType } from "react";

type Address = NonNullable<LinkProps["to"]>;

interface NavigationEntry {
  label: string;
  to: Address;
  icon: ComponentType<{ size?: number | string; stroke?: number | string }>;
  /** Hidden from members, who may not open the page. */
  adminOnly?: boolean;
  /** Hidden from viewers, who write nothing. */
  memberOnly?: boolean;
  /** Only for admins of the deployment, whatever their role in the organization. */
  deploymentOnly?: boolean;
  /** Marks the entry as current only on its own page, not on pages below its address. */
  exact?: boolean;
}

/** Whom an entry is shown to. The api refuses on its own account. */
export const isShownTo = (
  { adminOnly = false, memberOnly = false, deploymentOnly = false }: Omit<NavigationEntry, "icon">,
  { isAdmin, isMember, isDeploymentAdmin }: Record<"isAdmin" | "isMember" | "isDeploymentAdmin", boolean>,
): boolean => {
  if (deploymentOnly) return isDeploymentAdmin;
  return adminOnly ? isAdmin : isMember || !memberOnly;
};

/** The entries of the sidebar and the palette, in their order: one line for each area. */
export const navigation: NavigationEntry[] = [
  { label: "Home", to: "/", icon: IconHome, exact: true },
  { label: "Queries", to: "/queries", icon: IconFileTypeSql },
  { label: "Charts", to: "/charts", icon: IconChartLine },
  { label: "Dashboards", to: "/dashboards", icon: IconLayoutDashboard },
  { label: "Automations", to: "/automations", icon: IconRobot },
  { label: "Your data", to: "/uploads", icon: IconFileUpload, memberOnly: true },
  { label: "Settings", to: "/settings", icon: IconSettings, adminOnly: true },
  { label: "Operations", to: "/operations", icon: IconHeartbeat, deploymentOnly: true },
];

/** The pages of the settings, in the order of their tabs. */
export const settingsPages = [
  { label: "Organization", to: "/settings/organization" },
  { label: "Members", to: "/settings/members" },
  { label: "Groups", to: "/settings/groups" },
  { label: "Access", to: "/settings/access" },
  { label: "Public links", to: "/settings/public-links" },
  { label: "Embedding", to: "/settings/embedding" },
  { label: "Sign-in", to: "/settings/sign-in" },
  { label: "API keys", to: "/settings/keys" },
  { label: "Agents", to: "/settings/agents" },
  { label: "Databases", to: "/settings/databases" },
  { label: "Model", to: "/settings/model" },
  { label: "Destinations", to: "/settings/destinations" },
  { label: "Webhooks", to: "/settings/webhooks" },
  { label: "Audit log", to: "/settings/audit" },
  { label: "Export and deletion", to: "/settings/export" },
] as const satisfies readonly { label: string; to: Address }[];
