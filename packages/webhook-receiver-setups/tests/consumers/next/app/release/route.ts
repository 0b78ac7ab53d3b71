import { release } from "../../../handling.ts";

export async function POST() {
  release();
  return new Response(null);
}
