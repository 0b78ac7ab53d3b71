export { createEndpoint, deleteEndpoint, insertEndpoint, updateEndpoint } from "./change-endpoint.ts";
export { debugSignature } from "./debug-signature.ts";
export { disableEndpoint, enableEndpoint } from "./enable-endpoint.ts";
export { getDelivery, searchDeliveries } from "./get-delivery.ts";
export { getEndpoint, listEndpoints, readEndpointHealth, requireWebhooks } from "./get-endpoint.ts";
export { cancelRecovery, getRecovery, listRecoveries, previewRecovery, startRecovery } from "./recoveries.ts";
export { rotateSecret, switchSecret } from "./secrets.ts";
export { insertTestEvent, resendDelivery, sendTestEvent } from "./send-delivery.ts";
