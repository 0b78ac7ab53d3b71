import { Outlet } from "@tanstack/react-router";
import { settingsPages } from "../../app/navigation.ts";
import { RequireAdmin } from "../../components/require-admin.tsx";
import { TabLinks } from "../../components/tab-links.tsx";

/** The tabs of the settings pages, for admins. */
export const SettingsLayout = () => (
  <RequireAdmin title="Settings">
    <TabLinks label="Settings" tabs={settingsPages} />
    <Outlet />
  </RequireAdmin>
);
