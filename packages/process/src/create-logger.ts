import { type DestinationStream, type Logger, pino } from "pino";

/** Logs JSON lines. Logs only the path of a request: query strings may contain tokens, and headers contain keys. */
export const createLogger = (
  app: string,
  level: string,
  destination: DestinationStream = pino.destination(),
): Logger =>
  pino(
    {
      level,
      base: { app },
      serializers: {
        req: (request: { id: string; method: string; url: string; ip: string }) => ({
          id: request.id,
          method: request.method,
          path: request.url.split("?")[0],
          address: request.ip,
        }),
        res: (reply: { statusCode: number }) => ({ status: reply.statusCode }),
      },
    },
    destination,
  );
