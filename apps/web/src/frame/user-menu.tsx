import { Avatar, Menu, Text, UnstyledButton, useMantineColorScheme } from "@mantine/core";
import { IconBell, IconLogout, IconUser } from "@tabler/icons-react";
import { useSession } from "../session/me.ts";
import { signOutAndReload } from "../session/sign-out.ts";
import { MenuItemTo } from "../ui/links.tsx";

const schemes = [
  { value: "auto", label: "As the system" },
  { value: "light", label: "Light" },
  { value: "dark", label: "Dark" },
] as const;

/** The menu of the signed-in user: account, notifications, colour scheme, signing out. */
export function UserMenu() {
  const { user, organization } = useSession();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const choose = (chosen: string) => {
    const scheme = schemes.find(({ value }) => value === chosen);
    if (scheme) setColorScheme(scheme.value);
  };
  return (
    <Menu position="bottom-end" width={240}>
      <Menu.Target>
        <UnstyledButton aria-label={`Your menu, ${user.name}`}>
          <Avatar color="bell" radius="xl" size={34} />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
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
        <Menu.Divider />
        <Menu.Label>Colours</Menu.Label>
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
      </Menu.Dropdown>
    </Menu>
  );
}
