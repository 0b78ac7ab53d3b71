export {
  countUnread,
  getPreferences,
  listNotifications,
  markNotificationsRead,
  setPreference,
  watchNotifications,
} from "./notifications.ts";
