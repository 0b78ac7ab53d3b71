export {
  PublishedContent,
  type PublishedTile,
  pictureNames,
  previewName,
  tilePixels,
} from "./content.ts";
export { hashPassword, verifyPassword } from "./password.ts";
export { newPageToken, readTokenHash } from "./token.ts";
