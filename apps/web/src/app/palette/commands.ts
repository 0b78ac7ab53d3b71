import { useMantineColorScheme } from "@mantine/core";
import { useRouter } from "@tanstack/react-router";
import { useSession } from "../../components/me.ts";
import { switchOrganization } from "../../components/switch-organization.ts";
import { leave } from "../leave.ts";
import { navigation } from "../navigation.ts";

export interface Command {
  label: string;
  group: "Pages" | "Commands";
  /** Other words by which it is found. */
  keywords?: string;
  run: () => unknown;
}

/** Pages that the sidebar does not name. */
const morePages = [
  { label: "Notifications", href: "/notifications", keywords: "bell inbox" },
  { label: "Your account", href: "/account", keywords: "profile password name" },
  { label: "Docs", href: "/docs/", keywords: "help manual" },
];

/** Everything that the palette can do without asking the api. */
export function useCommands(): Command[] {
  const router = useRouter();
  const { isAdmin, memberships, organizationId } = useSession();
  const { setColorScheme } = useMantineColorScheme();
  const pages = navigation
    .filter(({ adminOnly }) => isAdmin || !adminOnly)
    .map(({ label, to }): Command => ({ label, group: "Pages", run: () => router.navigate({ to }) }));
  const more = morePages.map(
    ({ label, href, keywords }): Command => ({
      ...{ label, keywords, group: "Pages" },
      // The docs are pages of their own, outside of this app.
      run: () => (href.startsWith("/docs/") ? location.assign(href) : router.navigate({ href })),
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
  const schemes = (["auto", "light", "dark"] as const).map(
    (scheme): Command => ({
      label: { auto: "Use the system’s colours", light: "Use light colours", dark: "Use dark colours" }[
        scheme
      ],
      group: "Commands",
      keywords: "theme scheme mode",
      run: () => setColorScheme(scheme),
    }),
  );
  return [
    ...pages,
    ...more,
    ...switches,
    {
      label: "Create an organization",
      group: "Commands",
      keywords: "team new",
      run: () => router.navigate({ to: "/organizations/new" }),
    },
    ...schemes,
    { label: "Sign out", group: "Commands", keywords: "log out leave", run: leave },
  ];
}
