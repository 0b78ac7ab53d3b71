export {
  fieldOf,
  findPageNumber,
  lengthOfAddress,
  StoredChoices,
  textsOfPages,
  toFilterValues,
} from "./choices.ts";
export {
  PublishedContent,
  type PublishedFilter,
  type PublishedTile,
  pictureNames,
  previewName,
  tilePixels,
} from "./content.ts";
export {
  type EmbedGrant,
  hashEmbedValues,
  hashScope,
  readGrant,
  readPublicKey,
  verifyEmbedToken,
} from "./embed-token.ts";
export { hashPassword, verifyPassword } from "./password.ts";
export { newPageToken, readTokenHash } from "./token.ts";
