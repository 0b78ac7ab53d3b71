import { CreateWebhookEndpoint } from "@querybell/domain";
import { expect } from "vitest";
import { answer, deliveryTest } from "../testing/delivery-test.ts";
import {
  createEndpoint,
  debugSignature,
  getEndpoint,
  listEndpoints,
  rotateSecret,
  updateEndpoint,
} from "./index.ts";

deliveryTest(
  "custom headers whose key is gone are answered as null, hide no endpoint, and are set again",
  async ({ hooks, deps }) => {
    const owner = await hooks.owner();
    const headers = { "x-team": "blue" };
    const { id } = await hooks.endpoint(owner, "http://127.0.0.1:9/");
    await updateEndpoint(deps, owner, { id, headers });
    const { url, eventTypes } = await getEndpoint(deps, owner, { id });
    const same = CreateWebhookEndpoint.parse({ url, eventTypes, headers });
    const other = await createEndpoint(deps, owner, same);
    await deps.db.pool.query(
      "UPDATE webhook_endpoints SET sealed_headers = regexp_replace(sealed_headers, '^[^.]+', 'lost') WHERE id = $1",
      [id],
    );
    const listed = await listEndpoints(deps, owner);
    expect(listed.map((endpoint) => [endpoint.id, endpoint.headers])).toEqual([
      [other.id, headers],
      [id, null],
    ]);
    expect(await getEndpoint(deps, owner, { id })).toMatchObject({ headers: null });
    expect(await updateEndpoint(deps, owner, { id, description: "Blue" })).toMatchObject({
      description: "Blue",
      headers: null,
    });
    const again = { "x-team": "green" };
    expect(await updateEndpoint(deps, owner, { id, headers: again })).toMatchObject({ headers: again });
    expect(await getEndpoint(deps, owner, { id })).toMatchObject({ description: "Blue", headers: again });
  },
);

deliveryTest(
  "a secret that cannot be opened leaves the debugger with what it can still say",
  async ({ hooks, deps }) => {
    const owner = await hooks.owner();
    const receiver = await hooks.receiver(answer(200));
    const { id } = await hooks.endpoint(owner, receiver.url);
    const pump = await hooks.pump();
    await hooks.emit(owner);
    await pump.drain();
    await pump.stop();
    const rotated = await rotateSecret(deps, owner, { id, overlapHours: 10 });
    await deps.db.pool.query(
      "UPDATE webhook_secrets SET sealed = regexp_replace(sealed, '^[^.]+', 'lost') WHERE endpoint_id = $1 AND id <> $2",
      [id, rotated.id],
    );
    const [delivery] = await hooks.deliveries({ endpointId: id });
    const explained = await debugSignature(deps, owner, {
      deliveryId: delivery?.id ?? "",
      attempt: 1,
      secret: rotated.secret,
    });
    expect(explained).toMatchObject({ reproduced: null, given: { secretId: rotated.id, matches: false } });
  },
);
