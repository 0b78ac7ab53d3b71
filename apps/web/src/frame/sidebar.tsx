import { useSession } from "../session/me.ts";
import { NavLinkTo } from "../ui/links.tsx";
import { navigation } from "./navigation.ts";

export function Sidebar() {
  const { isAdmin } = useSession();
  return navigation
    .filter(({ adminOnly }) => isAdmin || !adminOnly)
    .map(({ label, to, icon: Icon, exact = false }) => (
      <NavLinkTo
        key={label}
        to={to}
        label={label}
        leftSection={<Icon size={18} stroke={1.7} />}
        activeOptions={{ exact }}
        activeProps={{ active: true, "aria-current": "page" }}
      />
    ));
}
