export {
  createPublicLink,
  publishAgain,
  revokePublicLink,
  rotatePublicLink,
  updatePublicLink,
} from "./change-link.ts";
export { listPublicLinks, listPublicLinksOf } from "./list-links.ts";
export { refreshPublishedChoices } from "./published-choices.ts";
export { updatePublishedPage } from "./update-page.ts";
