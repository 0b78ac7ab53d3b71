import { type DestinationStream, type Logger, pino } from "pino";

interface LoggerOptions {
  app: string;
  level: string;
  /** Standard output, unless a test wants to read the lines. */
  destination?: DestinationStream;
}

/** JSON lines. Of a request only the path is logged: queries may hold tokens, and headers hold keys. */
export const createLogger = ({ app, level, destination = pino.destination() }: LoggerOptions): Logger =>
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
