export { attachReference } from "./attach-reference.ts";
export { createOptimisticReference, createReference, insertReference } from "./create-reference.ts";
export { deleteReference } from "./delete-reference.ts";
export { getReference } from "./get-reference.ts";
export { listReferences } from "./list-references.ts";
export { listReferencesOfQuery } from "./list-references-of-query.ts";
export { updateReference } from "./update-reference.ts";
