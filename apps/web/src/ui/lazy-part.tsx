import { Button } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { type ComponentType, type LazyExoticComponent, lazy, useEffect } from "react";
import { loadScript } from "../frame/connection.ts";

/**
 * A part of a page whose script is loaded when it is first shown. Without a connection it waits for one. Loading can
 * fail, for example after an update that removed the old script. The rest of the page then stays as it is, with
 * everything that was typed.
 */
export const lazyPart = <Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): LazyExoticComponent<ComponentType<Props>> =>
  lazy(async () => ({ default: await loadScript(load).catch((): ComponentType<Props> => NotLoaded) }));

function NotLoaded() {
  useEffect(showReload, []);
  return null;
}

/** It stays until the page is reloaded, because the part is missing until then. */
function showReload(): void {
  notifications.show({
    id: "reload",
    color: "amber",
    autoClose: false,
    withCloseButton: false,
    title: "A part of this page could not be loaded",
    message: (
      <>
        Querybell may have been updated since you opened the page. Save what you have typed, then reload.
        <Button variant="default" size="compact-sm" mt="xs" display="block" onClick={() => location.reload()}>
          Reload
        </Button>
      </>
    ),
  });
}
