import { type AsyncRouteComponent, lazyRouteComponent as lazyComponent } from "@tanstack/react-router";
import { type ComponentType, lazy, Suspense } from "react";
import { NoConnection } from "../errors/not-found.tsx";
import { isAnswering, loadScript } from "../frame/connection.ts";

/** The router's function of this name, but without a connection the page says so and waits for one. */
export const lazyRouteComponent = <Module extends object>(
  load: () => Promise<Module>,
  name: keyof Module & string,
): AsyncRouteComponent<object> =>
  // Not checked by the compiler: the type of a page depends on the routes, which depend on this.
  lazyComponent(async () => ({ default: await loadPage(async () => (await load())[name] as ComponentType) }));

async function loadPage(load: () => Promise<ComponentType>): Promise<ComponentType> {
  const loaded = await load().catch(() => undefined);
  if (loaded) return loaded;
  // The router reloads the window, once, if the server has no such script any more.
  return (await isAnswering()) ? load() : waitingPage(load);
}

function waitingPage(load: () => Promise<ComponentType>): ComponentType {
  const Page = lazy(async () => ({ default: await loadScript(load) }));
  return () => (
    <Suspense fallback={<NoConnection />}>
      <Page />
    </Suspense>
  );
}
