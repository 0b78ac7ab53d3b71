import { type DestinationStream, type Logger, pino } from "pino";
import type { ApiSettings } from "./env.ts";

/** JSON lines. Of a request only the path is logged: queries may hold tokens, and headers hold keys. */
export const createLogger = (
  { LOG_LEVEL }: Pick<ApiSettings, "LOG_LEVEL">,
  destination: DestinationStream = pino.destination(),
): Logger =>
  pino(
    {
      level: LOG_LEVEL,
      base: { app: "api" },
      serializers: {
        req: (request: { method: string; url: string; ip: string; id: string }) => ({
          id: request.id,
          method: request.method,
          path: request.url.split("?")[0],
          address: request.ip,
        }),
        res: (reply: { statusCode: number }) => ({ status: reply.statusCode }),
      },
      redact: ["headers.authorization", "headers.cookie", "*.headers.authorization", "*.headers.cookie"],
    },
    destination,
  );
