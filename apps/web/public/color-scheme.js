// Runs before the first paint, so that a page never flashes in the wrong colours. "auto" follows the system.
const chosen = localStorage.getItem("mantine-color-scheme-value");
const isDark = matchMedia("(prefers-color-scheme: dark)").matches;
const scheme = chosen === "light" || chosen === "dark" ? chosen : isDark ? "dark" : "light";
document.documentElement.setAttribute("data-mantine-color-scheme", scheme);
