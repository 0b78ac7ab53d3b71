import type { Deps } from "@querybell/core";
import { createSender, type Pump, type PumpObserver, startPump } from "@querybell/webhooks";
import type { Logger } from "pino";

interface WorkerPumpOptions {
  deps: Deps;
  logger: Logger;
  observer: PumpObserver;
}

/** The delivery pump of a worker process, with a sender of its own. */
export async function startWorkerPump({ deps, logger, observer }: WorkerPumpOptions): Promise<Pump> {
  const { db, clock, guard, sealer } = deps;
  const sender = createSender({ guard, clock });
  const onError = (error: unknown) => logger.error(error, "an error in the webhook pump; it continues");
  const pump = await startPump({
    ...{ pool: db.pool, notices: db.notices, clock, guard, sender, sealer },
    ...{ observer, onError },
  });
  return {
    ...pump,
    async stop() {
      await pump.stop();
      sender.close();
    },
  };
}
