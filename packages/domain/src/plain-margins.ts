/** The margins of a chart whose author has chosen none. Here, so that pages need not load the schemas for it. */
export const plainMargins = { top: 16, right: 24, bottom: 24, left: 16 };
