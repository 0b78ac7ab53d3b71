import { Menu, Text, UnstyledButton } from "@mantine/core";
import { IconCheck, IconPlus, IconSelector } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { showFailure } from "../errors/show-failure.ts";
import { useSession } from "../session/me.ts";
import { switchOrganization } from "../session/switch-organization.ts";
import { MenuItemTo } from "../ui/links.tsx";
import classes from "./organization-menu.module.css";

/** Shows the current organization and switches to others. */
export function OrganizationMenu() {
  const { organization, memberships } = useSession();
  const change = useMutation({
    mutationFn: (id: string) => switchOrganization(id),
    onError: (error) => showFailure("Not switched", error),
  });
  return (
    <Menu position="bottom-start" width="target">
      <Menu.Target>
        <UnstyledButton className={classes.button}>
          <span className={classes.name}>{organization?.name ?? "No organization"}</span>
          <IconSelector size={16} stroke={1.7} aria-hidden />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
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
      </Menu.Dropdown>
    </Menu>
  );
}
