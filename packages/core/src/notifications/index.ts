export { getPreferences, setPreference } from "./preferences.ts";
export { countUnread, listNotifications, markNotificationsRead } from "./read-notifications.ts";
export { watchNotifications } from "./watch-notifications.ts";
