declare module "virtual:receiver-snippets" {
  export const receiverSnippets: { framework: string; code: string }[];
}
