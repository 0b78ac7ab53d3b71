import { Avatar, Menu, Text, UnstyledButton, useMantineColorScheme } from "@mantine/core";
import { IconDeviceDesktop, IconLogout, IconMoon, IconSun, IconUser } from "@tabler/icons-react";
import { MenuItemTo } from "../components/links.tsx";
import { useSession } from "../components/me.ts";
import { leave } from "./leave.ts";

const schemes = [
  { value: "auto", label: "Colours of the system", icon: IconDeviceDesktop },
  { value: "light", label: "Light", icon: IconSun },
  { value: "dark", label: "Dark", icon: IconMoon },
] as const;

/** Who is signed in, what is theirs alone, and the way out. */
export function UserMenu() {
  const { user, organization } = useSession();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
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
        <Menu.Divider />
        {schemes.map(({ value, label, icon: Icon }) => (
          <Menu.Item
            key={value}
            role="menuitemradio"
            aria-checked={colorScheme === value}
            leftSection={<Icon size={16} />}
            rightSection={colorScheme === value ? "✓" : null}
            closeMenuOnClick={false}
            onClick={() => setColorScheme(value)}
          >
            {label}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item leftSection={<IconLogout size={16} />} onClick={() => void leave()}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
