import { Alert, Modal, Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { trpc } from "../../api.ts";
import { ErrorNotice } from "../../errors/error-notice.tsx";
import { NewAddress } from "../../public-links/public-link-dialog.tsx";
import { type PublicLink, PublicLinkItem } from "../../public-links/public-link-item.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { ItemList } from "../../ui/item-list.tsx";
import { AnchorTo } from "../../ui/links.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { SettingSwitch } from "./setting-switch.tsx";

/** Whether members may publish, and all links of the organization. */
export function PublicLinksPage() {
  const { data, error, refetch } = useQuery(trpc.publicLinks.list.queryOptions());
  const [url, setUrl] = useState<string>();
  return (
    <>
      <PageHeader
        title="Public links"
        description="Charts and dashboards that anybody with the link can open, without an account. Visitors see a stored copy and never run a query."
      />
      {data && !data.isServed && (
        <Alert color="amber" variant="light" title="This deployment serves no public pages" mb="md">
          Its operator gives the public process a database role (PUBLIC_DATABASE_URL) and an address
          (PUBLIC_PAGES_URL).
        </Alert>
      )}
      <SettingSwitch
        title="Who may publish"
        description="Members publish what they may change. Rows that depend on who looks at them are never published."
        label="Members may make public links"
        hint="Turning it off closes all public pages within a second. Turning it on again opens them."
        isOn={({ publicLinks }) => publicLinks}
        toChange={(publicLinks) => ({ publicLinks })}
        messages={{ on: "Members may make public links now.", off: "All public pages are closed." }}
      />
      {error && <ErrorNotice error={error} onRetry={refetch} />}
      {!data && !error && <Skeleton height={180} />}
      {data?.links.length === 0 && (
        <EmptyState
          title="No public links yet"
          description="Open a chart or a dashboard, and choose “Public link…” in its menu."
        />
      )}
      {data && data.links.length > 0 && (
        <ItemList label="Public links">
          {data.links.map((link) => (
            <PublicLinkItem
              key={link.id}
              link={link}
              title={<ItemLink item={link.item} />}
              name={link.item.title}
              onAddress={setUrl}
            />
          ))}
        </ItemList>
      )}
      <Modal
        opened={url !== undefined}
        onClose={() => setUrl(undefined)}
        title="The new address"
        size="lg"
        closeOnClickOutside={false}
      >
        <NewAddress url={url ?? ""} onClose={() => setUrl(undefined)} />
      </Modal>
    </>
  );
}

const ItemLink = ({ item: { id, title, shortId } }: Pick<PublicLink, "item">) =>
  shortId === null ? (
    <AnchorTo to="/dashboards/$dashboardId" params={{ dashboardId: id }}>
      {title}
    </AnchorTo>
  ) : (
    <AnchorTo to="/q/$shortId" params={{ shortId }}>
      {title}
    </AnchorTo>
  );
