export {
  createEmbeddingKey,
  listEmbeddingKeys,
  revokeEmbeddingKey,
  rotateEmbeddingKey,
  updateEmbeddingKey,
} from "./keys.ts";
export { makeEmbedPage } from "./make-page.ts";
export { purgeEmbeds } from "./purge.ts";
