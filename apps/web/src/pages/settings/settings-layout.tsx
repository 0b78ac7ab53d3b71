import { Outlet } from "@tanstack/react-router";
import { RequireAdmin } from "../../components/require-admin.tsx";
import { TabLinks } from "../../components/tab-links.tsx";

const tabs = [
  { label: "Organization", to: "/settings/organization" },
  { label: "Members", to: "/settings/members" },
  { label: "API keys", to: "/settings/keys" },
  { label: "Databases", to: "/settings/databases" },
  { label: "Webhooks", to: "/settings/webhooks" },
  { label: "Audit log", to: "/settings/audit" },
] as const;

/** What admins set for their organization. */
export const SettingsLayout = () => (
  <RequireAdmin title="Settings">
    <TabLinks label="Settings" tabs={tabs} />
    <Outlet />
  </RequireAdmin>
);
