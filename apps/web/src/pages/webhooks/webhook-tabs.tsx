import { TabLinks } from "../../ui/tab-links.tsx";

const tabs = [
  { label: "Endpoints", to: "/settings/webhooks", exact: true },
  { label: "Deliveries", to: "/settings/webhooks/deliveries" },
] as const;

export const WebhookTabs = () => <TabLinks look="pills" label="Webhooks" tabs={tabs} />;
