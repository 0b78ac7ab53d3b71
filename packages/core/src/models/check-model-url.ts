import { AppError } from "@querybell/domain";
import type { Deps } from "../deps.ts";

/** Throws if the guard would not let us connect. */
export async function checkModelUrl({ models }: Pick<Deps, "models">, url: string): Promise<void> {
  const checked = await models.guard.check(url);
  if (checked.kind === "checked") return;
  const errors = [{ path: "connection.url", message: checked.message }];
  throw new AppError("invalid_request", checked.message, { errors });
}
