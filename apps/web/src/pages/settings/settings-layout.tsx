import { Outlet } from "@tanstack/react-router";
import { settingsPages } from "../../frame/navigation.ts";
import { RequireAdmin } from "../../session/require-admin.tsx";
import { TabLinks } from "../../ui/tab-links.tsx";

/** The tabs of the settings pages, for admins. */
export const SettingsLayout = () => (
  <RequireAdmin title="Settings">
    <TabLinks label="Settings" tabs={settingsPages} />
    <Outlet />
  </RequireAdmin>
);
