import { Avatar, Kbd, Menu, Text, UnstyledButton, useMantineColorScheme } from "@mantine/core";
import {
  IconBell,
  IconCheck,
  IconKeyboard,
  IconListCheck,
  IconLogout,
  IconPlus,
  IconSelector,
  IconUser,
} from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { api } from "../api.ts";
import { showFailure } from "../errors/error-notice.tsx";
import { useRefreshMe, useSession } from "../session/me.ts";
import { signOutAndReload, switchOrganization } from "../session/session-changes.ts";
import { shortcutText } from "../shortcuts/shortcuts.ts";
import { showShortcuts } from "../shortcuts/shortcuts-help.tsx";
import { MenuItemTo } from "../ui/links.tsx";
import { LazyMenu } from "../ui/until-used.tsx";
import classes from "./menus.module.css";

/** Shows the current organization and switches to others. */
export function OrganizationMenu() {
  const { organization, memberships } = useSession();
  const change = useMutation({
    mutationFn: (id: string) => switchOrganization(id),
    onError: (error) => showFailure("Not switched", error),
  });
  return (
    <LazyMenu
      position="bottom-start"
      width="target"
      button={(props) => (
        <UnstyledButton className={classes.button} {...props}>
          <span className={classes.name}>{organization?.name ?? "No organization"}</span>
          <IconSelector size={16} stroke={1.7} aria-hidden />
        </UnstyledButton>
      )}
    >
      <Menu.Label>Your organizations</Menu.Label>
      {memberships.map(({ organizationId, name, role }) => (
        <Menu.Item
          key={organizationId}
          onClick={() => change.mutate(organizationId)}
          rightSection={organizationId === organization?.organizationId ? <IconCheck size={16} /> : null}
        >
          {name}
          <Text size="xs" c="dimmed">
            {role}
          </Text>
        </Menu.Item>
      ))}
      <Menu.Divider />
      <MenuItemTo to="/organizations/new" leftSection={<IconPlus size={16} />}>
        Create an organization
      </MenuItemTo>
    </LazyMenu>
  );
}

const schemes = [
  { value: "auto", label: "As the system" },
  { value: "light", label: "Light" },
  { value: "dark", label: "Dark" },
] as const;

/** The menu of the signed-in user: account, notifications, help, theme, signing out. */
export function UserMenu() {
  const { user, organization, hidesFirstSteps } = useSession();
  const router = useRouter();
  const refreshMe = useRefreshMe();
  const showFirstSteps = useMutation({
    mutationFn: () => api.me.updateFirstSteps.mutate({ hidesFirstSteps: false }),
    async onSuccess() {
      await refreshMe();
      await router.navigate({ to: "/" });
    },
    onError: (error) => showFailure("Not shown", error),
  });
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const choose = (chosen: string) => {
    const scheme = schemes.find(({ value }) => value === chosen);
    if (scheme) setColorScheme(scheme.value);
  };
  return (
    <LazyMenu
      position="bottom-end"
      width={240}
      button={(props) => (
        <UnstyledButton aria-label={`Your menu, ${user.name}`} {...props}>
          <Avatar color="bell" radius="xl" size={34} />
        </UnstyledButton>
      )}
    >
      <Menu.Label>
        <Text size="sm" fw={600} c="var(--mantine-color-text)">
          {user.name}
        </Text>
        <Text size="xs">{user.email}</Text>
        {organization && <Text size="xs">{`${organization.name} (${organization.role})`}</Text>}
      </Menu.Label>
      <Menu.Divider />
      <MenuItemTo to="/account" leftSection={<IconUser size={16} />}>
        Your account
      </MenuItemTo>
      <MenuItemTo to="/account/notifications" leftSection={<IconBell size={16} />}>
        Notification settings
      </MenuItemTo>
      <Menu.Item
        leftSection={<IconKeyboard size={16} />}
        rightSection={<Kbd size="xs">{shortcutText("showShortcuts")}</Kbd>}
        onClick={showShortcuts}
      >
        Keyboard shortcuts
      </Menu.Item>
      {hidesFirstSteps && (
        <Menu.Item leftSection={<IconListCheck size={16} />} onClick={() => showFirstSteps.mutate()}>
          Show first steps
        </Menu.Item>
      )}
      <Menu.Divider />
      <Menu.Label>Theme</Menu.Label>
      <Menu.RadioGroup value={colorScheme} onChange={choose}>
        {schemes.map(({ value, label }) => (
          <Menu.RadioItem key={value} value={value}>
            {label}
          </Menu.RadioItem>
        ))}
      </Menu.RadioGroup>
      <Menu.Divider />
      <Menu.Item leftSection={<IconLogout size={16} />} onClick={() => void signOutAndReload()}>
        Sign out
      </Menu.Item>
    </LazyMenu>
  );
}
