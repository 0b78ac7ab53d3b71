import {
  createTheme,
  defaultVariantColorsResolver,
  type MantineColorsTuple,
  virtualColor,
} from "@mantine/core";

const ink: MantineColorsTuple = [
  "#f0f1f5",
  "#dfe2ea",
  "#bcc2d2",
  "#97a0b8",
  "#7783a2",
  "#5d6a8c",
  "#475374",
  "#363f5a",
  "#283049",
  "#1d2233",
];

const amber: MantineColorsTuple = [
  "#fff7e6",
  "#ffecc8",
  "#ffdc9a",
  "#fac96a",
  "#f2b84b",
  "#d79a22",
  "#b87d10",
  "#996400",
  "#7d5200",
  "#5e3d00",
];

/** Warm greys, for borders and quiet backgrounds of the light scheme. */
const gray: MantineColorsTuple = [
  "#faf8f4",
  "#f2eee4",
  "#e8e3d7",
  "#dfdacd",
  "#c9c3b4",
  "#8b8778",
  "#565b6b",
  "#454a59",
  "#313647",
  "#1d2233",
];

/** From the text colour of the dark scheme to its darkest background. */
const dark: MantineColorsTuple = [
  "#eceae4",
  "#cfd0d4",
  "#a9adba",
  "#767c90",
  "#333849",
  "#262a38",
  "#1a1d28",
  "#12141c",
  "#0e1017",
  "#090a0f",
];

/** The fonts, and the colours that differ from Mantine's, are in colors.css. */
export const theme = createTheme({
  colors: { ink, amber, gray, dark, bell: virtualColor({ name: "bell", light: "ink", dark: "amber" }) },
  primaryColor: "bell",
  primaryShade: { light: 9, dark: 4 },
  black: "#1d2233",
  headings: { fontWeight: "600", textWrap: "balance" },
  defaultRadius: "md",
  cursorType: "pointer",
  respectReducedMotion: true,
  variantColorResolver: (input) => {
    const colors = defaultVariantColorsResolver(input);
    const isAccent = input.variant === "filled" && (input.color ?? "bell") === "bell";
    return isAccent ? { ...colors, color: "var(--qb-on-accent)" } : colors;
  },
  components: {
    Anchor: { defaultProps: { underline: "always" } },
    Tooltip: { defaultProps: { events: { hover: true, focus: true, touch: false }, openDelay: 300 } },
    Notification: { defaultProps: { closeButtonProps: { "aria-label": "Close" } } },
    // Menus and dialogs are rendered inside the page, so that they are in one of its landmarks.
    Portal: { defaultProps: { target: "main" } },
    // ARIA does not allow this element as a child of a menu.
    Menu: { defaultProps: { withInitialFocusPlaceholder: false } },
    Modal: { defaultProps: { closeButtonProps: { "aria-label": "Close" } } },
    Drawer: { defaultProps: { closeButtonProps: { "aria-label": "Close" } } },
  },
});
