import { IconChartLine, IconFileTypeSql, IconHome, IconRobot, IconSettings } from "@tabler/icons-react";
import type { LinkProps } from "@tanstack/react-router";
import type { ComponentType } from "react";

export interface NavigationEntry {
  label: string;
  to: NonNullable<LinkProps["to"]>;
  icon: ComponentType<{ size?: number | string; stroke?: number | string }>;
  /** Hidden from members, who could not open the page. */
  adminOnly?: boolean;
  /** Marks the entry only on its own page, and not on those below its address. */
  exact?: boolean;
}

/** The entries of the sidebar and the palette, in their order: one line for each area. */
export const navigation: NavigationEntry[] = [
  { label: "Home", to: "/", icon: IconHome, exact: true },
  { label: "Queries", to: "/queries", icon: IconFileTypeSql },
  { label: "References", to: "/references", icon: IconChartLine },
  { label: "Automations", to: "/automations", icon: IconRobot },
  { label: "Settings", to: "/settings", icon: IconSettings, adminOnly: true },
];
