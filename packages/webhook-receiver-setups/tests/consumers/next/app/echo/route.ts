export const POST = async (request: Request) => Response.json(await request.json());
